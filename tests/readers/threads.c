/* Threads that share one tbgen_tables, and one each: threads FOLDER FEN... ends with 0 if all answers are the same. */
#include "tbgen_reader.h"

#include <pthread.h>
#include <string.h>

enum { THREADS = 4, ROUNDS = 50, MOST = 100 };

static tbgen_position positions[MOST];
static tbgen_score own[MOST];
static tbgen_value expected[MOST];
static tbgen_tables *shared;
static const char *folder;
static int count;

static void *ask(void *wrong)
{
    tbgen_tables *mine = tbgen_open(folder, 2);
    for (int i = 0; i < ROUNDS * count; i++) {
        tbgen_value value;
        memset(&value, 0, sizeof value);
        if (tbgen_probe(i % 5 ? shared : mine, &positions[i % count], own[i % count], &value, NULL) != TBGEN_OK ||
            memcmp(&value, &expected[i % count], sizeof value))
            *(int *)wrong = 1;
    }
    tbgen_close(mine);
    return NULL;
}

int main(int arguments, char **words)
{
    pthread_t threads[THREADS];
    int wrong[THREADS] = {0}, failed = 0;
    folder = words[1];
    count = arguments - 2;
    tbgen_tables *first = tbgen_open(folder, 8);
    for (int i = 0; i < count; i++)
        failed |= tbgen_read_fen(words[i + 2], &positions[i], NULL) || tbgen_own_score(&positions[i], &own[i], NULL) ||
                  tbgen_probe(first, &positions[i], own[i], &expected[i], NULL);
    tbgen_close(first);
    shared = tbgen_open(folder, 3); /* few chunks: threads throw out each other's */
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, ask, &wrong[i]);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        failed |= wrong[i];
    }
    tbgen_close(shared);
    return failed || count == 0;
}
