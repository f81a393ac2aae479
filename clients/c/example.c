/* SPDX-License-Identifier: 0BSD
 *
 * Ask tables for the best move:
 *
 *     cc -std=c11 -O2 -o example example.c tbgen_reader.c -lzstd -lpthread
 *     ./example FOLDER
 */
#include "tbgen_reader.h"

#include <stdio.h>

int main(int count, char **arguments)
{
    char message[TBGEN_MESSAGE];
    tbgen_tables *tables = tbgen_open(count > 1 ? arguments[1] : "data", 64, message);
    if (tables == NULL) {
        fprintf(stderr, "%s\n", message);
        return 1;
    }
    printf("tables of up to %d men\n", tbgen_largest(tables));

    tbgen_position position;
    tbgen_score accrued = {TBGEN_WHITE, 8}; /* G4.0: twice four moves, in check */
    tbgen_root_move moves[TBGEN_MOVES];
    int found;
    tbgen_status status = tbgen_read_fen("8/8/4K3/5Bk1/8/8/8/8 w - - 33 30", &position, message);
    if (status == TBGEN_OK)
        status = tbgen_probe_root(tables, &position, accrued, moves, &found, message);
    if (status == TBGEN_OK && found > 0) {
        char move[TBGEN_TEXT], outcome[TBGEN_TEXT];
        tbgen_write_move(moves[0].move, move);
        tbgen_write_score(moves[0].value.outcome, outcome);
        printf("%s leads to %s", move, outcome);
        if (moves[0].value.plies >= 0)
            printf(" in %d plies", moves[0].value.plies);
        printf("\n");
    } else
        fprintf(stderr, "status %d: %s\n", status, message);
    tbgen_close(tables);
    return status;
}
