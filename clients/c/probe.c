/* SPDX-License-Identifier: 0BSD
 *
 * Ask tables from the shell:
 *
 *     cc -std=c11 -O2 -o probe probe.c tbgen_reader.c -lzstd -lpthread
 *     probe FOLDER            answers each line `FEN;accrued` of standard input with `outcome;plies`
 *     probe --search FOLDER   asks as a search does: for outcomes alone, of positions that are known to be legal
 *     probe --moves FOLDER    answers with all legal moves, the best first: `move outcome plies;...`
 *     probe --verify FILE...  compares every byte of the files with their seals
 *
 * The accrued score is `G3.5` or `-G3.5`; an empty one means the position's own. Without distances, plies are `?`.
 * A line that has no answer gets `error: ` and the reason instead, and the exit status is then 1.
 */
#include "tbgen_reader.h"

#include <stdio.h>
#include <string.h>

enum { MEGABYTES = 64, LINE = 400 };

typedef tbgen_status Answer(tbgen_tables *tables, const tbgen_position *position, tbgen_score accrued, char *message);

static void print_value(const tbgen_value *value, const char *between)
{
    char text[TBGEN_TEXT];
    tbgen_write_score(value->outcome, text);
    if (value->plies < 0)
        printf("%s%s?", text, between);
    else
        printf("%s%s%d", text, between, value->plies);
}

static tbgen_status answer_value(tbgen_tables *tables, const tbgen_position *position, tbgen_score accrued,
                                 char *message)
{
    tbgen_value value;
    tbgen_status status = tbgen_probe(tables, position, accrued, &value, message);
    if (status != TBGEN_OK)
        return status;
    print_value(&value, ";");
    printf("\n");
    return TBGEN_OK;
}

static tbgen_status answer_outcome(tbgen_tables *tables, const tbgen_position *position, tbgen_score accrued,
                                   char *message)
{
    tbgen_score own;
    tbgen_value value = {{0, 0}, -1};
    tbgen_status status = tbgen_own_score(position, &own, message);
    if (status == TBGEN_OK)
        status = tbgen_probe_outcome(tables, position, own, tbgen_accrue(accrued, own, false), &value.outcome, message);
    if (status != TBGEN_OK)
        return status;
    print_value(&value, ";");
    printf("\n");
    return TBGEN_OK;
}

static tbgen_status answer_moves(tbgen_tables *tables, const tbgen_position *position, tbgen_score accrued,
                                 char *message)
{
    tbgen_root_move moves[TBGEN_MOVES];
    char text[TBGEN_TEXT];
    int count;
    tbgen_status status = tbgen_probe_root(tables, position, accrued, moves, &count, message);
    if (status != TBGEN_OK)
        return status;
    for (int i = 0; i < count; i++) {
        tbgen_write_move(moves[i].move, text);
        printf("%s%s ", i ? ";" : "", text);
        print_value(&moves[i].value, " ");
    }
    printf("\n");
    return TBGEN_OK;
}

static tbgen_status answer_line(Answer *answer, tbgen_tables *tables, char *line, char *message)
{
    tbgen_position position;
    tbgen_score accrued;
    size_t fen = strcspn(line, ";");
    const char *score = line[fen] ? line + fen + 1 : "";
    line[fen] = 0;
    tbgen_status status = tbgen_read_fen(line, &position, message);
    if (status == TBGEN_OK)
        status = *score ? tbgen_read_score(score, &accrued, message) : tbgen_own_score(&position, &accrued, message);
    return status == TBGEN_OK ? answer(tables, &position, accrued, message) : status;
}

static int answer_lines(Answer *answer, const char *folder)
{
    char line[LINE], message[TBGEN_MESSAGE];
    int status = 0;
    tbgen_tables *tables = tbgen_open(folder, MEGABYTES, message);
    if (!tables) {
        fprintf(stderr, "%s\n", message);
        return 2;
    }
    while (fgets(line, sizeof line, stdin)) {
        if (strlen(line) == sizeof line - 1)
            for (int sign = *line = 0; sign != '\n' && sign != EOF;) /* too long: nothing is left of it */
                sign = getchar();
        line[strcspn(line, "\r\n")] = 0;
        if (answer_line(answer, tables, line, message) != TBGEN_OK) {
            printf("error: %s\n", message);
            status = 1;
        }
    }
    tbgen_close(tables);
    return status;
}

static int verify(int count, char **files)
{
    char message[TBGEN_MESSAGE];
    int status = 0;
    for (int i = 0; i < count; i++) {
        if (tbgen_verify_file(files[i], message) == TBGEN_OK)
            printf("%s: sound\n", files[i]);
        else {
            printf("error: %s\n", message);
            status = 1;
        }
    }
    return status;
}

int main(int count, char **arguments)
{
    const char *first = count > 1 ? arguments[1] : "";
    if (count == 2 && *first != '-')
        return answer_lines(answer_value, first);
    if (count == 3 && !strcmp(first, "--search"))
        return answer_lines(answer_outcome, arguments[2]);
    if (count == 3 && !strcmp(first, "--moves"))
        return answer_lines(answer_moves, arguments[2]);
    if (count > 2 && !strcmp(first, "--verify"))
        return verify(count - 2, arguments + 2);
    fprintf(stderr, "probe [--search | --moves] FOLDER < LINES, or probe --verify FILE...\n");
    return 2;
}
