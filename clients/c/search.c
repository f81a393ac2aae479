/* SPDX-License-Identifier: 0BSD
 *
 * A small alpha-beta search that asks tables as an engine does, by many threads at once:
 *
 *     cc -std=c11 -O2 -o search search.c tbgen_reader.c -lzstd -lpthread
 *     search FOLDER THREADS MEGABYTES QUESTIONS FEN...
 *
 * It searches each position deeper and deeper, asks the tables for every position at the end of a line, and compares
 * the value that it finds with the value that the tables have for the position it began with. Each thread does so
 * until it has asked so many questions. The exit status is 0 if all values are as expected.
 */
#define _POSIX_C_SOURCE 200809L
#include "tbgen_reader.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { MAX_THREADS = 256, DEPTHS = 4, INFINITE = 2001 };

/* What all threads read. */
typedef struct {
    tbgen_tables *tables;
    long questions; /* of each thread */
    int count;
    tbgen_position *positions;
    tbgen_score *own;
    int *expected; /* the rank of each position's outcome, with its own score accrued */
} Task;

/* What a thread has to itself. */
typedef struct {
    const Task *task;
    int first; /* the position that it begins with */
    long asked;
    long wrong;
} Searcher;

/* A node of the tree: a position with its legal moves, and what has accrued in it. */
typedef struct {
    tbgen_position position;
    tbgen_score own;
    tbgen_score accrued;
} Node;

static int rank_for_mover(const Node *node, tbgen_score outcome)
{
    int rank = tbgen_rank(outcome);
    return node->position.to_move == TBGEN_WHITE ? rank : -rank;
}

static Node node_after(const Node *node, tbgen_move move)
{
    Node next;
    next.position = tbgen_play(&node->position, move);
    tbgen_own_score(&next.position, &next.own, NULL); /* an engine has counted the moves, and knows it is legal */
    next.accrued = tbgen_accrue(node->accrued, next.own, tbgen_is_reset(&node->position, move));
    return next;
}

/* Without a table, a score that has accrued is as good a guess as any. */
static int evaluation(const Node *node) { return rank_for_mover(node, node->accrued); }

/* The value of a node for the side to move. Tables are asked when no depth is left. */
static int search(Searcher *searcher, const Node *node, int depth, int alpha, int beta)
{
    if (node->own.code < 2) /* mate or stalemate, which is always the best score so far */
        return rank_for_mover(node, node->own);
    if (depth == 0) {
        tbgen_score outcome;
        searcher->asked++;
        tbgen_status status = tbgen_probe_outcome(searcher->task->tables, &node->position, node->own, node->accrued,
                                                  &outcome, NULL);
        return status == TBGEN_OK ? rank_for_mover(node, outcome) : evaluation(node);
    }
    tbgen_move moves[TBGEN_MOVES];
    int count = tbgen_legal_moves(&node->position, moves);
    int best = -INFINITE;
    for (int i = 0; i < count && best < beta; i++) {
        Node next = node_after(node, moves[i]);
        int value = -search(searcher, &next, depth - 1, -beta, -alpha);
        if (value > best)
            best = value;
        if (value > alpha)
            alpha = value;
    }
    return best;
}

static void search_position(Searcher *searcher, int number, int depth)
{
    const Task *task = searcher->task;
    Node root = {task->positions[number], task->own[number], task->own[number]};
    int value = search(searcher, &root, depth, -INFINITE, INFINITE);
    int expected = root.position.to_move == TBGEN_WHITE ? task->expected[number] : -task->expected[number];
    if (value != expected)
        searcher->wrong++;
}

static void *search_all(void *argument)
{
    Searcher *searcher = argument;
    const Task *task = searcher->task;
    for (int turn = 0; searcher->asked < task->questions; turn++) {
        int number = (searcher->first + turn) % task->count;
        for (int depth = 0; depth < DEPTHS && searcher->asked < task->questions; depth++)
            search_position(searcher, number, depth);
    }
    return NULL;
}

/* Read the positions, and ask what their values are. */
static bool prepare(Task *task, char **fens, int count)
{
    char message[TBGEN_MESSAGE];
    task->count = count;
    task->positions = calloc((size_t)count, sizeof *task->positions);
    task->own = calloc((size_t)count, sizeof *task->own);
    task->expected = calloc((size_t)count, sizeof *task->expected);
    if (!task->positions || !task->own || !task->expected)
        return false;
    for (int i = 0; i < count; i++) {
        tbgen_value value;
        tbgen_status status = tbgen_read_fen(fens[i], &task->positions[i], message);
        if (status == TBGEN_OK)
            status = tbgen_own_score(&task->positions[i], &task->own[i], message);
        if (status == TBGEN_OK)
            status = tbgen_probe(task->tables, &task->positions[i], task->own[i], &value, message);
        if (status != TBGEN_OK) {
            fprintf(stderr, "%s: %s\n", fens[i], message);
            return false;
        }
        task->expected[i] = tbgen_rank(value.outcome);
    }
    return true;
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Search by some threads; the number of wrong values. */
static long run(const Task *task, int threads)
{
    pthread_t ids[MAX_THREADS];
    Searcher searchers[MAX_THREADS];
    double start = seconds();
    long asked = 0;
    long wrong = 0;
    for (int i = 0; i < threads; i++) {
        searchers[i] = (Searcher){task, i * task->count / threads, 0, 0};
        if (pthread_create(&ids[i], NULL, search_all, &searchers[i])) {
            fprintf(stderr, "no thread %d\n", i);
            exit(2);
        }
    }
    for (int i = 0; i < threads; i++) {
        pthread_join(ids[i], NULL);
        asked += searchers[i].asked;
        wrong += searchers[i].wrong;
    }
    printf("%ld questions, %.0f a second, %ld wrong values\n", asked, (double)asked / (seconds() - start), wrong);
    return wrong;
}

int main(int count, char **arguments)
{
    char message[TBGEN_MESSAGE];
    Task task = {0};
    int threads = count > 5 ? atoi(arguments[2]) : 0;
    if (threads < 1 || threads > MAX_THREADS) {
        fprintf(stderr, "search FOLDER THREADS MEGABYTES QUESTIONS FEN...\n");
        return 2;
    }
    task.tables = tbgen_open(arguments[1], (size_t)atoi(arguments[3]), message);
    task.questions = atol(arguments[4]);
    if (!task.tables) {
        fprintf(stderr, "%s\n", message);
        return 2;
    }
    int status = 2;
    if (prepare(&task, arguments + 5, count - 5))
        status = run(&task, threads) ? 1 : 0;
    free(task.positions);
    free(task.own);
    free(task.expected);
    tbgen_close(task.tables);
    return status;
}
