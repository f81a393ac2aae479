/* SPDX-License-Identifier: 0BSD
 *
 * Read tbgen's tables (format 3) from C or C++: compile tbgen_reader.c into your program and link libzstd.
 * README.md has a start of five minutes, example.c a whole program, search.c a search that asks tables at every node.
 *
 * Every function may be called by any number of threads at once, with the same tbgen_tables. A thread waits for another
 * one that opens a table for the first time, or that uses a part of a table in the same set of the cache.
 * tbgen_close comes last. Nothing is global.
 *
 * `message` has room for TBGEN_MESSAGE characters, for the reason of an error, or is NULL, which is faster.
 */
#ifndef TBGEN_READER_H
#define TBGEN_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A hundred times the major version, plus the minor one. With the same major version, all names, types, numbers and
 * meanings of this header stay as they are, and the reader reads tables of format 3. A minor version adds to them. */
#define TBGEN_READER_VERSION 100

#ifdef __cplusplus
extern "C" {
#endif

enum { TBGEN_WHITE, TBGEN_BLACK };
enum { TBGEN_KING, TBGEN_QUEEN, TBGEN_ROOK, TBGEN_BISHOP, TBGEN_KNIGHT, TBGEN_PAWN };
enum {
    TBGEN_MESSAGE = 256, /* characters of a message */
    TBGEN_TEXT = 16,     /* characters of a score or a move as text */
    TBGEN_MOVES = 256    /* no position has so many moves */
};

typedef enum {
    TBGEN_OK,
    TBGEN_NO_TABLE,     /* no folder has a table of these men */
    TBGEN_BAD_POSITION, /* not a legal position, or not one that a FEN can say */
    TBGEN_BAD_SCORE,    /* no score, or one that no game can carry into the position */
    TBGEN_DAMAGED,      /* a file is not what its checksums or the format say */
    TBGEN_UNREADABLE,   /* the system cannot open or read a file */
    TBGEN_NO_MEMORY
} tbgen_status;

/* Squares count from a1 = 0, b1 = 1 to h8 = 63. A bitboard has the bit 1 << square of each of its squares. */
typedef struct {
    uint64_t sides[2]; /* the men of TBGEN_WHITE and of TBGEN_BLACK */
    uint64_t roles[6]; /* the kings of both sides, then queens, rooks, bishops, knights, pawns */
    int to_move;       /* TBGEN_WHITE or TBGEN_BLACK */
    int en_passant;    /* the square behind a pawn that has just made two steps, or 0 */
} tbgen_position;      /* without castling rights: tables have none */

typedef struct {
    int holder; /* TBGEN_WHITE or TBGEN_BLACK */
    int code;   /* 2 * legal moves + 1 if not in check: G4.0 is 8 */
} tbgen_score;

typedef struct {
    tbgen_score outcome; /* the final score of best play */
    int plies; /* until it is reached, 0 if it has accrued already; -1 if a file of distances is needed and not there */
} tbgen_value;

typedef struct {
    int from;
    int to;
    int promotion; /* TBGEN_QUEEN to TBGEN_KNIGHT, or 0 */
} tbgen_move;

typedef struct {
    tbgen_move move;
    tbgen_value value; /* its plies count from the position before the move */
} tbgen_root_move;

typedef struct tbgen_tables tbgen_tables;

/* ---- tables ---- */

/* Look for tables in a folder, or in several with colons between: of equal tables the first counts.
 * At most so many megabytes of unpacked parts are kept; 64 is plenty for a search of five men.
 * NULL if a folder cannot be read or memory is short. A folder without tables is no error.
 * A file is opened at the first question to it. If it is damaged, it stays so until the next tbgen_open. */
tbgen_tables *tbgen_open(const char *folders, size_t megabytes, char *message);
void tbgen_close(tbgen_tables *tables);

/* The men of the largest table, kings included; 0 without tables. */
int tbgen_largest(const tbgen_tables *tables);

/* Whether there is a table: "KRvKP", or "KRPvKRP.pairs" for the positions with two opposed pawns alone. */
bool tbgen_has_material(const tbgen_tables *tables, const char *material);
bool tbgen_has_position(const tbgen_tables *tables, const tbgen_position *position);

/* Compare every byte of a file with its seal. */
tbgen_status tbgen_verify_file(const char *path, char *message);

/* ---- values ---- */

/* For everything but a search: the value of a position with that score accrued.
 * If the position's own score has just accrued, give that.
 * Of a better own score and a worse accrued one the own score counts. */
tbgen_status tbgen_probe(tbgen_tables *tables, const tbgen_position *position, tbgen_score accrued,
                         tbgen_value *value, char *message);

/* For a search: the outcome of a position that you know to be legal, with its own score and the accrued one, which is
 * the own score or a lower one. Nothing of that is checked, and files of distances are not read.
 * If it is not so, the answer is wrong or an error; it is never a crash. */
tbgen_status tbgen_probe_outcome(tbgen_tables *tables, const tbgen_position *position, tbgen_score own,
                                 tbgen_score accrued, tbgen_score *outcome, char *message);

/* For the root: all legal moves with their values, the best first.
 * Of moves to the same outcome the shortest comes first, or the longest if the outcome is worse than the accrued score.
 * `moves` has room for TBGEN_MOVES. It is an error if a capture or a promotion leads to a table that is not there. */
tbgen_status tbgen_probe_root(tbgen_tables *tables, const tbgen_position *position, tbgen_score accrued,
                              tbgen_root_move *moves, int *count, char *message);

/* ---- scores ---- */

/* The score of a position of any number of men by its legal moves. */
tbgen_status tbgen_own_score(const tbgen_position *position, tbgen_score *own, char *message);

/* What has accrued after a move that reaches a position with that own score; a reset is a capture or a pawn move. */
static inline tbgen_score tbgen_accrue(tbgen_score accrued, tbgen_score own, bool reset)
{
    return reset || own.code < accrued.code ? own : accrued;
}

/* The higher, the better for White; never 0. It is the `rank` of tbgen's JSON and of its Python. */
static inline int tbgen_rank(tbgen_score outcome)
{
    return outcome.holder == TBGEN_WHITE ? 2000 - outcome.code : outcome.code - 2000;
}

/* ---- moves, if your program has none: of legal positions, without castling ---- */

/* Their number; `moves` has room for TBGEN_MOVES. */
int tbgen_legal_moves(const tbgen_position *position, tbgen_move *moves);
tbgen_position tbgen_play(const tbgen_position *position, tbgen_move move);
bool tbgen_is_reset(const tbgen_position *position, tbgen_move move);

/* ---- texts ---- */

/* A FEN of up to seven fields; those left out have their usual defaults. The clocks and the accrued score have to be ones, and are left out. */
tbgen_status tbgen_read_fen(const char *fen, tbgen_position *position, char *message);

/* A score as text, such as G4.0 or -G4.0. Other forms, such as G4, 4.0 and mG4.0, are read as tbgen reads them. */
tbgen_status tbgen_read_score(const char *text, tbgen_score *score, char *message);
void tbgen_write_score(tbgen_score score, char text[TBGEN_TEXT]);

/* A move as in UCI: e2e4 or e7e8q. */
void tbgen_write_move(tbgen_move move, char text[TBGEN_TEXT]);

#ifdef __cplusplus
}
#endif

#endif
