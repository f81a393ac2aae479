/* SPDX-License-Identifier: 0BSD
 *
 * Ask tables from the shell:
 *
 *     cc -std=c99 -O2 -o probe probe.c tbgen_reader.c -lzstd -lpthread
 *     probe FOLDER            answers each line `FEN;accrued` of standard input with `outcome;plies`
 *     probe --verify FILE...  compares every byte of the files with their seals
 *
 * The accrued score is `G3.5` or `-G3.5`; an empty one means the position's own. Without distances, plies are `?`.
 * A line that has no answer gets `error: ` and the reason instead, and the exit status is then 1.
 */
#include "tbgen_reader.h"

#include <stdio.h>
#include <string.h>

static tbgen_status answer(tbgen_tables *tables, char *line, char *message)
{
    tbgen_position position;
    tbgen_score accrued;
    tbgen_value value;
    size_t fen = strcspn(line, ";");
    const char *score = line[fen] ? line + fen + 1 : "";
    line[fen] = 0;
    tbgen_status status = tbgen_read_fen(line, &position, message);
    if (status == TBGEN_OK)
        status = *score ? tbgen_read_score(score, &accrued, message) : tbgen_own_score(&position, &accrued, message);
    if (status == TBGEN_OK)
        status = tbgen_probe(tables, &position, accrued, &value, message);
    if (status != TBGEN_OK)
        return status;
    printf("%sG%d.%d;", value.outcome.holder == TBGEN_WHITE ? "" : "-", value.outcome.code / 2,
           value.outcome.code % 2 * 5);
    if (value.plies < 0)
        printf("?\n");
    else
        printf("%d\n", value.plies);
    return status;
}

int main(int count, char **arguments)
{
    char line[400], message[TBGEN_MESSAGE];
    int status = 0;
    if (count > 2 && !strcmp(arguments[1], "--verify")) {
        for (int i = 2; i < count; i++)
            if (tbgen_verify_file(arguments[i], message) == TBGEN_OK)
                printf("%s: sound\n", arguments[i]);
            else
                status = 1, printf("error: %s\n", message);
        return status;
    }
    tbgen_tables *tables = count == 2 ? tbgen_open(arguments[1], 1024) : NULL;
    if (!tables) {
        fprintf(stderr, "probe FOLDER < LINES, or probe --verify FILE...\n");
        return 2;
    }
    while (fgets(line, sizeof line, stdin)) {
        if (strlen(line) == sizeof line - 1)
            for (int sign = *line = 0; sign != '\n' && sign != EOF;) /* too long: nothing is left of it */
                sign = getchar();
        line[strcspn(line, "\r\n")] = 0;
        if (answer(tables, line, message) != TBGEN_OK)
            status = 1, printf("error: %s\n", message);
    }
    tbgen_close(tables);
    return status;
}
