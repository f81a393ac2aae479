/* Ask the reader in C and Fathom, which reads ordinary tables, for the same positions of four men:
 *
 *     cc -std=c11 -O2 -Iclients/c -o bench_reader research/bench_reader.c clients/c/tbgen_reader.c \
 *         -lzstd -lpthread -lfathom
 *     bench_reader FOLDER SYZYGY MEGABYTES < FENS
 *
 * Debian's libfathom-dev has Fathom; the sources of python-chess have the Syzygy tables, in data/syzygy/regular.
 * Positions are asked twice over: as they stand in the file, and as a search from each of them meets them, all
 * positions after three plies. Each is asked in three rounds, the first of which finds an empty cache.
 * The time is that of the thread, without what counts legal moves: an engine does that anyway.
 */
#define _POSIX_C_SOURCE 200809L
#include "tbgen_reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <tbprobe.h>
#include <time.h>

enum { MOST = 1 << 20, PLIES = 3, ROUNDS = 3, LINE = 200 };

typedef struct {
    tbgen_position position;
    tbgen_score own;
} Question;

static Question questions[MOST];
static int count;

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Note the positions so many plies after one, as long as there is room and they have all four men. */
static void note(const tbgen_position *position, int plies)
{
    tbgen_move moves[TBGEN_MOVES];
    if (count == MOST)
        return;
    if (plies == 0) {
        questions[count].position = *position;
        if (tbgen_own_score(position, &questions[count].own, NULL) == TBGEN_OK)
            count++;
        return;
    }
    int legal = tbgen_legal_moves(position, moves);
    for (int i = 0; i < legal; i++) {
        tbgen_position next = tbgen_play(position, moves[i]);
        note(&next, plies - 1);
    }
}

static int ask_reader(tbgen_tables *tables)
{
    int failed = 0;
    for (int i = 0; i < count; i++) {
        tbgen_score outcome;
        tbgen_score own = questions[i].own;
        failed += tbgen_probe_outcome(tables, &questions[i].position, own, own, &outcome, NULL) != TBGEN_OK;
    }
    return failed;
}

static int ask_fathom(void)
{
    int failed = 0;
    for (int i = 0; i < count; i++) {
        const tbgen_position *at = &questions[i].position;
        const uint64_t *roles = at->roles;
        unsigned found =
            tb_probe_wdl(at->sides[TBGEN_WHITE], at->sides[TBGEN_BLACK], roles[TBGEN_KING], roles[TBGEN_QUEEN],
                         roles[TBGEN_ROOK], roles[TBGEN_BISHOP], roles[TBGEN_KNIGHT], roles[TBGEN_PAWN], 0, 0,
                         (unsigned)at->en_passant, at->to_move == TBGEN_WHITE);
        failed += found == TB_RESULT_FAILED;
    }
    return failed;
}

static void compare(const char *what, const char *folder, size_t megabytes)
{
    char message[TBGEN_MESSAGE];
    tbgen_tables *tables = tbgen_open(folder, megabytes, message);
    if (tables == NULL) {
        fprintf(stderr, "%s\n", message);
        exit(1);
    }
    printf("%d positions, %s\n", count, what);
    for (int round = 0; round < ROUNDS; round++) {
        double start = seconds();
        int failed_of_reader = ask_reader(tables);
        double between = seconds();
        int failed_of_fathom = ask_fathom();
        double end = seconds();
        printf("  round %d: reader %.3f us, %d without an answer; Fathom %.3f us, %d without an answer\n", round + 1,
               (between - start) * 1e6 / count, failed_of_reader, (end - between) * 1e6 / count, failed_of_fathom);
    }
    tbgen_close(tables);
}

int main(int words, char **arguments)
{
    static tbgen_position roots[MOST];
    char line[LINE];
    int root_count = 0;
    if (words != 4 || !tb_init(arguments[2]) || TB_LARGEST < 4) {
        fprintf(stderr, "bench_reader FOLDER SYZYGY MEGABYTES < FENS\n");
        return 2;
    }
    while (root_count < MOST && fgets(line, sizeof line, stdin))
        if (tbgen_read_fen(line, &roots[root_count], NULL) == TBGEN_OK)
            root_count++;
    for (int plies = 0; plies <= PLIES; plies += PLIES) {
        count = 0;
        for (int i = 0; i < root_count; i++)
            note(&roots[i], plies);
        compare(plies ? "after three plies" : "as given", arguments[1], (size_t)atoi(arguments[3]));
    }
    return 0;
}
