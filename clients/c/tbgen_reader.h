/* SPDX-License-Identifier: 0BSD
 *
 * Read tbgen's tables (format 3) from C: compile tbgen_reader.c into your program and link libzstd.
 *
 *     tbgen_tables *tables = tbgen_open("data", 1024);
 *     tbgen_position position;
 *     tbgen_value value;
 *     char message[TBGEN_MESSAGE];
 *     if (!tbgen_read_fen("8/8/4K3/5Bk1/8/8/8/8 w - - 33 30", &position, message) &&
 *         !tbgen_probe(tables, &position, (tbgen_score){TBGEN_WHITE, 8}, &value, message))
 *         printf("code %d in %d plies\n", value.outcome.code, value.plies);
 *     tbgen_close(tables);
 *
 * Threads may share a tbgen_tables, which answers one question at a time. For answers in parallel, open one a thread.
 * Nothing is global. A damaged or forged file gives TBGEN_DAMAGED.
 */
#ifndef TBGEN_READER_H
#define TBGEN_READER_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { TBGEN_WHITE, TBGEN_BLACK };
enum { TBGEN_MESSAGE = 256 };

typedef enum {
    TBGEN_OK,
    TBGEN_NO_TABLE,     /* the folder has no table of these men */
    TBGEN_BAD_POSITION, /* not a legal position of at most eight men */
    TBGEN_BAD_SCORE,    /* no game can carry this accrued score */
    TBGEN_DAMAGED,      /* the file is not what its checksums or the format say */
    TBGEN_UNREADABLE,   /* the system cannot open or read the file */
    TBGEN_NO_MEMORY
} tbgen_status;

typedef struct {
    int holder; /* TBGEN_WHITE or TBGEN_BLACK */
    int code;   /* 2 * legal moves + 1 if not in check: G4.0 is 8 */
} tbgen_score;

typedef struct {
    char squares[64]; /* a1, b1 ... h8: KQRBNP for White, kqrbnp for Black, 0 for an empty square */
    int to_move;      /* TBGEN_WHITE or TBGEN_BLACK */
    int en_passant;   /* the square behind a pawn that has just made two steps, or -1 */
} tbgen_position;

typedef struct {
    tbgen_score outcome; /* the final score of best play */
    int plies;           /* until it is reached; -1 without a file of distances */
} tbgen_value;

typedef struct tbgen_tables tbgen_tables;

/* A folder of tables, which keeps at most so many unpacked chunks, of 32 to 128 kB each. NULL: no memory.
 * Tables are opened at the first question to them. A table that was missing or damaged then stays so. */
tbgen_tables *tbgen_open(const char *folder, size_t chunks);
void tbgen_close(tbgen_tables *tables);

/* The value of a position with that score accrued. If the position's own score has just accrued, give that.
 * Of a better own score and a worse accrued one the own score counts.
 * In all functions `message` has room for TBGEN_MESSAGE characters, for the reason of an error, or is NULL. */
tbgen_status tbgen_probe(tbgen_tables *tables, const tbgen_position *position, tbgen_score accrued,
                         tbgen_value *value, char *message);

/* The score of a position by its legal moves. */
tbgen_status tbgen_own_score(const tbgen_position *position, tbgen_score *own, char *message);

/* The first four fields of a FEN. Tables have no castling rights. */
tbgen_status tbgen_read_fen(const char *fen, tbgen_position *position, char *message);

/* A score as text: G4.0 or -G4.0. */
tbgen_status tbgen_read_score(const char *text, tbgen_score *score, char *message);

/* Compare every byte of a file with its seal. */
tbgen_status tbgen_verify_file(const char *path, char *message);

#ifdef __cplusplus
}
#endif

#endif
