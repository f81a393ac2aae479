/* SPDX-License-Identifier: 0BSD
 *
 * A reader of tbgen's tables (format 3), written from docs/tables.md and docs/rules.md alone; see tbgen_reader.h.
 * It shares no code with tbgen, and needs POSIX and libzstd: no HDF5.
 *
 *     cc -std=c11 -O2 -c tbgen_reader.c
 *
 * From here to the end: errors, checksums, a table file, the cache of its chunks, chess, the place of a position,
 * the tables of folders, values, texts, and the public functions.
 */
#define _POSIX_C_SOURCE 200809L
#define _FILE_OFFSET_BITS 64
#include "tbgen_reader.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

enum { WHITE = TBGEN_WHITE, BLACK = TBGEN_BLACK };
enum { KING, QUEEN, ROOK, BISHOP, KNIGHT, PAWN, ROLES };

typedef tbgen_move Move;
typedef tbgen_position Position;
typedef tbgen_root_move RootMove;
typedef tbgen_score Score;
typedef tbgen_status Status;
typedef tbgen_value Value;

/* ---- errors: a function that can fail returns a status, and writes the reason once ---- */

#define TRY(call)                                                                                                      \
    do {                                                                                                               \
        Status status_ = (call);                                                                                       \
        if (status_ != TBGEN_OK)                                                                                       \
            return status_;                                                                                            \
    } while (0)

static Status fail(char *message, Status status, const char *format, ...)
{
    if (!message)
        return status;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, TBGEN_MESSAGE, format, arguments);
    va_end(arguments);
    for (char *sign = message; *sign; sign++)
        if (*sign < ' ' || *sign > '~') /* of a damaged file or a line; no terminal is to obey it */
            *sign = '?';
    return status;
}

/* ---- checksums ---- */

typedef struct {
    uint32_t state[8];
    uint64_t size;
    uint8_t block[64];
} Sha256;

static uint32_t rotated(uint32_t word, int by) { return word >> by | word << (32 - by); }

static void sha256_block(uint32_t *state, const uint8_t *block)
{
    static const uint32_t constants[64] = {
        0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
        0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
        0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
        0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
        0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
        0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
        0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
        0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};
    uint32_t words[64], v[8];
    for (int i = 0; i < 16; i++)
        words[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 | (uint32_t)block[4 * i + 2] << 8 |
                   block[4 * i + 3];
    for (int i = 16; i < 64; i++) {
        uint32_t a = words[i - 15], b = words[i - 2];
        words[i] = words[i - 16] + words[i - 7] + (rotated(a, 7) ^ rotated(a, 18) ^ a >> 3) +
                   (rotated(b, 17) ^ rotated(b, 19) ^ b >> 10);
    }
    memcpy(v, state, sizeof v);
    for (int i = 0; i < 64; i++) {
        uint32_t first = v[7] + (rotated(v[4], 6) ^ rotated(v[4], 11) ^ rotated(v[4], 25)) +
                         ((v[4] & v[5]) ^ (~v[4] & v[6])) + constants[i] + words[i];
        uint32_t second = (rotated(v[0], 2) ^ rotated(v[0], 13) ^ rotated(v[0], 22)) +
                          ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
        memmove(v + 1, v, 7 * sizeof *v);
        v[4] += first;
        v[0] = first + second;
    }
    for (int i = 0; i < 8; i++)
        state[i] += v[i];
}

static void sha256_begin(Sha256 *sha)
{
    static const uint32_t start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    memcpy(sha->state, start, sizeof start);
    sha->size = 0;
}

static void sha256_add(Sha256 *sha, const uint8_t *bytes, uint64_t size)
{
    for (uint64_t i = 0; i < size; i++) {
        sha->block[sha->size++ % 64] = bytes[i];
        if (sha->size % 64 == 0)
            sha256_block(sha->state, sha->block);
    }
}

static void sha256_end(Sha256 *sha, char *hex)
{
    uint64_t bits = sha->size * 8;
    uint8_t byte = 0x80;
    sha256_add(sha, &byte, 1);
    for (byte = 0; sha->size % 64 != 56;)
        sha256_add(sha, &byte, 1);
    for (int shift = 56; shift >= 0; shift -= 8) {
        byte = (uint8_t)(bits >> shift);
        sha256_add(sha, &byte, 1);
    }
    for (int i = 0; i < 8; i++)
        sprintf(hex + 8 * i, "%08" PRIx32, sha->state[i]);
}

/* ---- a table file: seal, index, chunks ---- */

enum { SEAL = 512, ENTRY = 16, MAX_CHUNK_ITEMS = 1 << 16, MAX_INDEX = 1 << 28, MAX_WHOLE = 1 << 28 };

enum {
    SYMBOL, BLOCK_SQUARES, COUNTS, SYMBOLS, OUTCOME_ROWS,
    DTG, DETAIL, LONGEST, SYMBOL_GROUPS, GROUP_STATES, STATES, ROWS,
    DATASETS
};

/* What docs/tables.md says of each dataset. A file that says something else of one is refused. */
static const struct {
    const char *name, *layer;
    const char *kind; /* its fields and their types; NULL: an unsigned number of 1, 2 or 4 bytes */
    int bytes;
} layout[DATASETS] = {
    [SYMBOL] = {"symbol", "outcomes", NULL, 0},
    [BLOCK_SQUARES] = {"block_squares", "outcomes", "|u1", 1},
    [COUNTS] = {"counts", "outcomes", "side|u1 outcome|i1 count<u8 ", 10},
    [SYMBOLS] = {"symbols", "outcomes", "entry|i1 first<u4 rows|u1 ", 6},
    [OUTCOME_ROWS] = {"outcome_rows", "outcomes", "holder|u1 code|u1 outcome|i1 ", 3},
    [DTG] = {"dtg", "distances", NULL, 0},
    [DETAIL] = {"detail", "distances", NULL, 0},
    [LONGEST] = {"longest", "distances", "side|u1 outcome|i1 dtg<u2 cell<u8 fen|S96 ", 108},
    [SYMBOL_GROUPS] = {"symbol_groups", "distances", "<u4", 4},
    [GROUP_STATES] = {"group_states", "distances", "<u4", 4},
    [STATES] = {"states", "distances", "first<u4 rows|u1 ", 5},
    [ROWS] = {"rows", "distances", "holder|u1 code|u1 outcome|i1 dtg<u2 ", 5},
};

typedef struct {
    bool there, shuffled;
    unsigned bytes; /* of an item */
    uint64_t items, per_chunk, chunks, first_chunk;
    uint8_t *whole; /* all items, if load_whole has been there */
} Dataset;

typedef struct Cache Cache;

typedef struct {
    Cache *cache;
    char path[4096];
    int descriptor; /* -1: not open */
    char material[16], layer[16], digest[65], outcomes[65]; /* of the seal */
    uint64_t length, index;
    uint8_t *index_bytes;
    const uint8_t *entries;
    uint64_t entry_count;
    Dataset datasets[DATASETS];
} File;

static Status damaged(const File *file, const char *what, char *message)
{
    return fail(message, TBGEN_DAMAGED, "%s: damaged: %s", file->path, what);
}

static Status allocate(uint64_t bytes, void *into, char *message)
{
    void *memory = malloc(bytes ? (size_t)bytes : 1);
    if (!memory)
        return fail(message, TBGEN_NO_MEMORY, "no memory for %" PRIu64 " bytes", bytes);
    memcpy(into, &memory, sizeof memory);
    return TBGEN_OK;
}

static uint64_t little_endian(const uint8_t *bytes, unsigned size)
{
    uint64_t number = 0;
    while (size--)
        number = number << 8 | bytes[size];
    return number;
}

static Status read_at(const File *file, uint64_t offset, void *into, uint64_t size, char *message)
{
    uint8_t *place = into;
    if (offset > file->length || size > file->length - offset)
        return damaged(file, "bytes beyond its end", message);
    while (size) {
        ssize_t got = pread(file->descriptor, place, (size_t)size, (off_t)offset);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return fail(message, TBGEN_UNREADABLE, "%s: %s", file->path, strerror(errno));
        if (got == 0)
            return damaged(file, "it ends too soon", message);
        place += got, offset += (uint64_t)got, size -= (uint64_t)got;
    }
    return TBGEN_OK;
}

/* The value of a line of the seal; `line` goes on to the next one. */
static Status sealed(const File *file, const char **line, const char *name, char *value, size_t capacity,
                     char *message)
{
    size_t length = strlen(name), size = 0;
    if (!strncmp(*line, name, length) && (*line)[length] == ' ')
        size = strcspn(*line + length + 1, " \n");
    if (size == 0 || size >= capacity)
        return fail(message, TBGEN_DAMAGED, "%s: damaged: its seal has no %s", file->path, name);
    memcpy(value, *line + length + 1, size);
    value[size] = 0;
    *line += length + 1 + size + strspn(*line + length + 1 + size, "\n");
    return TBGEN_OK;
}

static Status sealed_number(const File *file, const char **line, const char *name, uint64_t *number, char *message)
{
    char text[24];
    TRY(sealed(file, line, name, text, sizeof text, message));
    if (strspn(text, "0123456789") != strlen(text) || strlen(text) > 18)
        return fail(message, TBGEN_DAMAGED, "%s: damaged: %s of the seal is no number", file->path, name);
    *number = strtoull(text, NULL, 10);
    return TBGEN_OK;
}

/* -- the JSON of the index -- */

typedef struct {
    const char *at, *end;
    const File *file;
    char *message;
} Json;

static Status unreadable(const Json *json) { return damaged(json->file, "its index is not as expected", json->message); }

/* The next sign that is no space, or 0 at the end. */
static char next_sign(Json *json)
{
    while (json->at < json->end && isspace((unsigned char)*json->at))
        json->at++;
    return json->at < json->end ? *json->at : 0;
}

static bool accept_sign(Json *json, char sign)
{
    if (next_sign(json) != sign)
        return false;
    json->at++;
    return true;
}

static Status expect(Json *json, const char *signs)
{
    for (; *signs; signs++)
        if (!accept_sign(json, *signs))
            return unreadable(json);
    return TBGEN_OK;
}

static Status read_string(Json *json, char *into, size_t capacity)
{
    TRY(expect(json, "\""));
    for (size_t i = 0;; json->at++) {
        if (json->at == json->end || i == capacity)
            return unreadable(json);
        if (*json->at == '"') {
            into[i] = 0;
            break;
        }
        if (*json->at == '\\' && ++json->at == json->end)
            return unreadable(json);
        into[i++] = *json->at;
    }
    json->at++;
    return TBGEN_OK;
}

static Status read_number(Json *json, uint64_t *number)
{
    int digits = 0;
    next_sign(json);
    for (*number = 0; json->at < json->end && isdigit((unsigned char)*json->at); digits++)
        *number = *number * 10 + (uint64_t)(*json->at++ - '0');
    return 0 < digits && digits <= 18 ? TBGEN_OK : unreadable(json);
}

static Status read_truth(Json *json, bool *truth)
{
    *truth = next_sign(json) == 't';
    const char *word = *truth ? "true" : "false";
    if ((size_t)(json->end - json->at) < strlen(word) || strncmp(json->at, word, strlen(word)))
        return unreadable(json);
    json->at += strlen(word);
    return TBGEN_OK;
}

/* The type of an item: a word, or fields, each written as its name, its type and a space. */
static Status read_kind(Json *json, char *kind, size_t capacity)
{
    size_t size = 0;
    if (!accept_sign(json, '['))
        return read_string(json, kind, capacity);
    do {
        TRY(expect(json, "["));
        for (int part = 0; part < 2; part++) {
            if (capacity - size < 24)
                return unreadable(json);
            TRY(read_string(json, kind + size, 20));
            size += strlen(kind + size);
            TRY(expect(json, part ? "]" : ","));
        }
        kind[size++] = ' ';
        kind[size] = 0;
    } while (accept_sign(json, ','));
    return expect(json, "]");
}

static Status read_dataset(Json *json, File *file)
{
    char name[32], kind[128];
    int number = 0;
    TRY(read_string(json, name, sizeof name - 1));
    while (number < DATASETS && strcmp(layout[number].name, name))
        number++;
    if (number == DATASETS || file->datasets[number].there || strcmp(layout[number].layer, file->layer))
        return unreadable(json);
    Dataset *dataset = &file->datasets[number];
    TRY(expect(json, ":["));
    TRY(read_kind(json, kind, sizeof kind - 1));
    if (layout[number].kind ? strcmp(kind, layout[number].kind)
                            : strcmp(kind, "|u1") && strcmp(kind, "<u2") && strcmp(kind, "<u4"))
        return unreadable(json);
    dataset->bytes = layout[number].kind ? (unsigned)layout[number].bytes : (unsigned)(kind[2] - '0');
    TRY(expect(json, ","));
    TRY(read_number(json, &dataset->items));
    TRY(expect(json, ","));
    TRY(read_number(json, &dataset->per_chunk));
    TRY(expect(json, ","));
    TRY(read_truth(json, &dataset->shuffled));
    TRY(expect(json, ","));
    TRY(read_number(json, &dataset->chunks));
    if (dataset->per_chunk == 0 || dataset->per_chunk > MAX_CHUNK_ITEMS ||
        dataset->chunks != (dataset->items + dataset->per_chunk - 1) / dataset->per_chunk ||
        dataset->chunks > MAX_INDEX / ENTRY)
        return unreadable(json);
    dataset->there = true;
    dataset->first_chunk = file->entry_count;
    file->entry_count += dataset->chunks;
    return expect(json, "]");
}

/* Attributes repeat the seal, and say which rules values follow; a file with others is refused. */
static Status read_attributes(Json *json)
{
    const File *file = json->file;
    const char *same[][2] = {{"game", "r-mobility"},     {"rules", "r-mobility 1"},     {"material", file->material},
                             {"layer", file->layer}, {"outcomes", file->outcomes}};
    unsigned found = *file->outcomes ? 0 : 1u << 4;
    do {
        char name[24], value[400];
        TRY(read_string(json, name, sizeof name - 1));
        TRY(expect(json, ":"));
        TRY(read_string(json, value, sizeof value - 1));
        for (unsigned i = 0; i < 5; i++)
            if (!strcmp(name, same[i][0])) {
                if (strcmp(value, same[i][1]))
                    return fail(json->message, TBGEN_DAMAGED, "%s: its index has other %s than expected: %.60s",
                                file->path, name, value);
                found |= 1u << i;
            }
    } while (accept_sign(json, ','));
    return found == (1u << 5) - 1 ? TBGEN_OK : unreadable(json);
}

static Status read_index(File *file, char *message)
{
    uint64_t size = file->length - file->index;
    const uint8_t *line_end = memchr(file->index_bytes, '\n', (size_t)size);
    if (!line_end)
        return damaged(file, "its index is not as expected", message);
    Json json = {(const char *)file->index_bytes, (const char *)line_end, file, message};
    TRY(expect(&json, "{"));
    do {
        char name[16];
        TRY(read_string(&json, name, sizeof name - 1));
        TRY(expect(&json, ":{"));
        if (!strcmp(name, "attributes"))
            TRY(read_attributes(&json));
        else if (!strcmp(name, "datasets"))
            do
                TRY(read_dataset(&json, file));
            while (accept_sign(&json, ','));
        else
            return unreadable(&json);
        TRY(expect(&json, "}"));
    } while (accept_sign(&json, ','));
    TRY(expect(&json, "}"));
    for (int i = 0; i < DATASETS; i++)
        if (!strcmp(layout[i].layer, file->layer) && !file->datasets[i].there)
            return fail(message, TBGEN_DAMAGED, "%s: damaged: it has no dataset %s", file->path, layout[i].name);
    file->entries = line_end + 1;
    if (file->entry_count * ENTRY != (uint64_t)(file->index_bytes + size - file->entries))
        return unreadable(&json);
    return TBGEN_OK;
}

/* The seal has no checksum of its own, but only one way to be written. */
static Status check_seal(const File *file, const char *seal, const char *digest_of_index, char *message)
{
    char written[SEAL + 1];
    int size = snprintf(written, sizeof written,
                        "tbgen table\nformat 3\ngame r-mobility\nmaterial %s\nlayer %s\nlength %" PRIu64
                        "\nindex %" PRIu64 "\nsha256-of-index %s\nsha256 %s%s%s",
                        file->material, file->layer, file->length, file->index, digest_of_index, file->digest,
                        *file->outcomes ? "\noutcomes " : "", file->outcomes);
    memset(written + size, ' ', SEAL - 1 - (size_t)size);
    written[SEAL - 1] = '\n';
    return memcmp(seal, written, SEAL) ? damaged(file, "its seal is not as it is written", message) : TBGEN_OK;
}

static Status read_seal(File *file, char *digest_of_index, char *message)
{
    char seal[SEAL + 1], text[24];
    const char *line = seal + strlen("tbgen table\n");
    uint64_t real = file->length;
    TRY(read_at(file, 0, seal, SEAL, message));
    seal[SEAL] = 0;
    if (strncmp(seal, "tbgen table\n", strlen("tbgen table\n")))
        return damaged(file, "it is no table of tbgen", message);
    TRY(sealed(file, &line, "format", text, sizeof text, message));
    if (strcmp(text, "3"))
        return fail(message, TBGEN_DAMAGED, "%s: has format %s; this reads format 3", file->path, text);
    TRY(sealed(file, &line, "game", text, sizeof text, message));
    if (strcmp(text, "r-mobility"))
        return fail(message, TBGEN_DAMAGED, "%s: is of the game %s", file->path, text);
    TRY(sealed(file, &line, "material", file->material, sizeof file->material, message));
    TRY(sealed(file, &line, "layer", file->layer, sizeof file->layer, message));
    TRY(sealed_number(file, &line, "length", &file->length, message));
    TRY(sealed_number(file, &line, "index", &file->index, message));
    TRY(sealed(file, &line, "sha256-of-index", digest_of_index, 65, message));
    TRY(sealed(file, &line, "sha256", file->digest, sizeof file->digest, message));
    if (!strcmp(file->layer, "distances"))
        TRY(sealed(file, &line, "outcomes", file->outcomes, sizeof file->outcomes, message));
    TRY(check_seal(file, seal, digest_of_index, message));
    if (real != file->length)
        return fail(message, TBGEN_DAMAGED, "%s: damaged: it has %" PRIu64 " bytes, and its seal says %" PRIu64,
                    file->path, real, file->length);
    if (file->index < SEAL || file->index > file->length || file->length - file->index > MAX_INDEX)
        return damaged(file, "its seal has an index beyond the file", message);
    return TBGEN_OK;
}

static void close_file(File *file)
{
    if (file->descriptor >= 0)
        close(file->descriptor);
    free(file->index_bytes);
    for (int i = 0; i < DATASETS; i++) {
        free(file->datasets[i].whole);
        file->datasets[i].whole = NULL;
    }
    file->descriptor = -1;
    file->index_bytes = NULL;
}

/* Opening a file checks the seal and the index; chunks are checked when they are read. */
static Status open_file(File *file, char *message)
{
    char expected[65], digest[65];
    struct stat facts;
    file->descriptor = open(file->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* no pipe makes it wait */
    if (file->descriptor < 0 || fstat(file->descriptor, &facts))
        return fail(message, errno == ENOENT ? TBGEN_NO_TABLE : TBGEN_UNREADABLE, "%s: %s", file->path,
                    strerror(errno));
    file->length = (uint64_t)facts.st_size;
    TRY(read_seal(file, expected, message));
    uint64_t size = file->length - file->index;
    TRY(allocate(size, &file->index_bytes, message));
    TRY(read_at(file, file->index, file->index_bytes, size, message));
    Sha256 sha;
    sha256_begin(&sha);
    sha256_add(&sha, file->index_bytes, size);
    sha256_end(&sha, digest);
    if (strcmp(digest, expected))
        return damaged(file, "its index has another SHA-256", message);
    return read_index(file, message);
}

static Status check_every_byte(const File *file, char *message)
{
    uint8_t bytes[1 << 14];
    char digest[65];
    Sha256 sha;
    sha256_begin(&sha);
    for (uint64_t at = SEAL; at < file->length;) {
        uint64_t size = file->length - at < sizeof bytes ? file->length - at : sizeof bytes;
        TRY(read_at(file, at, bytes, size, message));
        sha256_add(&sha, bytes, size);
        at += size;
    }
    sha256_end(&sha, digest);
    return strcmp(digest, file->digest) ? damaged(file, "it has another SHA-256", message) : TBGEN_OK;
}

/* ---- the cache: unpacked chunks, which all threads share ---- */

enum { WAYS = 8, SET_BYTES = 1 << 18, MAX_ITEM_BYTES = 16 };

/* An unpacked chunk. */
typedef struct {
    const Dataset *dataset; /* NULL: none */
    uint64_t chunk;
    uint8_t *bytes;
} Chunk;

/* A chunk can be in one set alone: threads that ask for chunks of different sets never wait for each other. */
typedef struct {
    pthread_mutex_t lock;
    Chunk chunks[WAYS]; /* the last used first, then empty ones; SET_BYTES at most, which any chunk fits in */
} CacheSet;

/* What unpacking a chunk takes. It is kept: making a context of Zstandard takes longer than unpacking most chunks. */
typedef struct Workspace {
    ZSTD_DCtx *context;
    uint8_t *packed;
    uint64_t room; /* of `packed` */
    struct Workspace *next;
} Workspace;

struct Cache {
    CacheSet *sets;
    size_t count;
    pthread_mutex_t lock; /* of the list */
    Workspace *idle;      /* as many as threads have unpacked chunks at a time */
    uint32_t crc[8][256];
};

/* crc[n][byte] is the CRC-32 of a byte that n zeros follow. */
static void make_crc_table(uint32_t crc[8][256])
{
    for (uint32_t byte = 0; byte < 256; byte++) {
        uint32_t word = byte;
        for (int bit = 0; bit < 8; bit++)
            word = word >> 1 ^ (word & 1 ? 0xEDB88320u : 0);
        crc[0][byte] = word;
    }
    for (int zeros = 1; zeros < 8; zeros++)
        for (int byte = 0; byte < 256; byte++) {
            uint32_t word = crc[zeros - 1][byte];
            crc[zeros][byte] = word >> 8 ^ crc[0][word & 255];
        }
}

static uint32_t crc32_of(uint32_t crc[8][256], const uint8_t *bytes, uint64_t size)
{
    uint32_t word = 0xFFFFFFFFu;
    for (; size >= 8; size -= 8) {
        word ^= (uint32_t)little_endian(bytes, 4);
        word = crc[7][word & 255] ^ crc[6][word >> 8 & 255] ^ crc[5][word >> 16 & 255] ^ crc[4][word >> 24] ^
               crc[3][bytes[4]] ^ crc[2][bytes[5]] ^ crc[1][bytes[6]] ^ crc[0][bytes[7]];
        bytes += 8;
    }
    while (size--)
        word = word >> 8 ^ crc[0][(word ^ *bytes++) & 255];
    return ~word;
}

static Status bad_chunk(const File *file, const Dataset *dataset, uint64_t chunk, const char *what, char *message)
{
    return fail(message, TBGEN_DAMAGED, "%s: damaged: chunk %" PRIu64 " of %s %s", file->path, chunk,
                layout[dataset - file->datasets].name, what);
}

/* Bytes of an unpacked chunk. */
static uint64_t size_of(const Dataset *dataset) { return dataset->per_chunk * dataset->bytes; }

static void free_workspace(Workspace *workspace)
{
    ZSTD_freeDCtx(workspace->context);
    free(workspace->packed);
    free(workspace);
}

/* A workspace that no other thread has; NULL without memory. */
static Workspace *take_workspace(Cache *cache)
{
    pthread_mutex_lock(&cache->lock);
    Workspace *workspace = cache->idle;
    if (workspace)
        cache->idle = workspace->next;
    pthread_mutex_unlock(&cache->lock);
    if (workspace)
        return workspace;
    workspace = calloc(1, sizeof *workspace);
    if (!workspace)
        return NULL;
    workspace->context = ZSTD_createDCtx();
    if (workspace->context)
        return workspace;
    free_workspace(workspace);
    return NULL;
}

static void give_workspace(Cache *cache, Workspace *workspace)
{
    pthread_mutex_lock(&cache->lock);
    workspace->next = cache->idle;
    cache->idle = workspace;
    pthread_mutex_unlock(&cache->lock);
}

static Status make_packed_room(Workspace *workspace, uint64_t size, char *message)
{
    if (size <= workspace->room)
        return TBGEN_OK;
    free(workspace->packed);
    workspace->packed = NULL;
    workspace->room = 0;
    TRY(allocate(size, &workspace->packed, message));
    workspace->room = size;
    return TBGEN_OK;
}

static Status unpack_with(Workspace *workspace, const File *file, const Dataset *dataset, uint64_t chunk,
                          uint8_t *plain, char *message)
{
    const uint8_t *entry = file->entries + ENTRY * (dataset->first_chunk + chunk);
    uint64_t packed_size = little_endian(entry + 8, 4);
    uint64_t size = size_of(dataset);
    if (packed_size > ZSTD_compressBound((size_t)size))
        return bad_chunk(file, dataset, chunk, "is larger than its items", message);
    TRY(make_packed_room(workspace, packed_size, message));
    uint8_t *packed = workspace->packed;
    TRY(read_at(file, little_endian(entry, 8), packed, packed_size, message));
    if (crc32_of(file->cache->crc, packed, packed_size) != little_endian(entry + 12, 4))
        return bad_chunk(file, dataset, chunk, "has another CRC-32", message);
    size_t made = ZSTD_decompressDCtx(workspace->context, plain, (size_t)size, packed, (size_t)packed_size);
    if (ZSTD_isError(made) || made != size)
        return bad_chunk(file, dataset, chunk, "cannot be unpacked", message);
    return TBGEN_OK;
}

/* The bytes of a chunk, shuffled as the file has them. */
static Status unpack(const File *file, const Dataset *dataset, uint64_t chunk, uint8_t *plain, char *message)
{
    Workspace *workspace = take_workspace(file->cache);
    if (!workspace)
        return fail(message, TBGEN_NO_MEMORY, "no memory to unpack a chunk");
    Status status = unpack_with(workspace, file, dataset, chunk, plain, message);
    give_workspace(file->cache, workspace);
    return status;
}

/* An item of an unpacked chunk. A shuffled chunk has the first bytes of all its items, then all second bytes, and so
 * on. */
static void copy_item(const Dataset *dataset, const uint8_t *chunk, uint64_t item, uint8_t *bytes)
{
    if (!dataset->shuffled) {
        memcpy(bytes, chunk + item * dataset->bytes, dataset->bytes);
        return;
    }
    for (unsigned byte = 0; byte < dataset->bytes; byte++)
        bytes[byte] = chunk[byte * dataset->per_chunk + item];
}

/* Unpack a whole dataset that every answer asks: such as the symbols, but never a dataset of places. */
static Status load_whole(File *file, int number, char *message)
{
    Dataset *dataset = &file->datasets[number];
    uint64_t size = size_of(dataset);
    if (dataset->chunks > MAX_WHOLE / size)
        return damaged(file, "a dataset is larger than it can be", message);
    uint8_t *plain = NULL;
    TRY(allocate(dataset->chunks * size, &dataset->whole, message));
    TRY(allocate(size, &plain, message));
    Status status = TBGEN_OK;
    for (uint64_t chunk = 0; chunk < dataset->chunks && status == TBGEN_OK; chunk++) {
        status = unpack(file, dataset, chunk, plain, message);
        uint8_t *into = dataset->whole + chunk * size;
        for (uint64_t item = 0; item < dataset->per_chunk && status == TBGEN_OK; item++)
            copy_item(dataset, plain, item, into + item * dataset->bytes);
    }
    free(plain);
    return status;
}

static CacheSet *set_of(const Cache *cache, const Dataset *dataset, uint64_t chunk)
{
    uint64_t hash = ((uint64_t)(uintptr_t)dataset / sizeof *dataset + chunk) * UINT64_C(0x9E3779B97F4A7C15);
    return &cache->sets[(hash >> 32) % cache->count];
}

/* Throw the chunks out that were used longest ago, until there is room for one of that size. */
static void make_room(CacheSet *set, uint64_t size)
{
    uint64_t used = size;
    for (int way = 0; way < WAYS; way++) {
        Chunk *chunk = &set->chunks[way];
        if (!chunk->dataset)
            return;
        used += size_of(chunk->dataset);
        if (used > SET_BYTES || way == WAYS - 1) {
            free(chunk->bytes);
            *chunk = (Chunk){NULL, 0, NULL};
            used = SET_BYTES; /* and all that follow */
        }
    }
}

/* Make a chunk the first of its set; whoever calls has locked the set. */
static Status bring_forward(const File *file, const Dataset *dataset, uint64_t number, CacheSet *set, char *message)
{
    int way = 0;
    while (way < WAYS && (set->chunks[way].chunk != number || set->chunks[way].dataset != dataset))
        way++;
    if (way == 0)
        return TBGEN_OK;
    Chunk wanted = {dataset, number, NULL};
    if (way < WAYS)
        wanted = set->chunks[way];
    else {
        TRY(allocate(size_of(dataset), &wanted.bytes, message));
        Status status = unpack(file, dataset, number, wanted.bytes, message);
        if (status != TBGEN_OK) {
            free(wanted.bytes);
            return status;
        }
        make_room(set, size_of(dataset));
        way = WAYS - 1; /* which is empty now */
    }
    memmove(&set->chunks[1], &set->chunks[0], (size_t)way * sizeof wanted);
    set->chunks[0] = wanted;
    return TBGEN_OK;
}

/* The bytes of an item, MAX_ITEM_BYTES at most. */
static Status item_at(const File *file, int number, uint64_t item, uint8_t *bytes, char *message)
{
    const Dataset *dataset = &file->datasets[number];
    if (item >= dataset->items)
        return fail(message, TBGEN_DAMAGED, "%s: damaged: %s has no item %" PRIu64, file->path, layout[number].name,
                    item);
    if (dataset->whole) {
        memcpy(bytes, dataset->whole + item * dataset->bytes, dataset->bytes);
        return TBGEN_OK;
    }
    uint64_t chunk = item / dataset->per_chunk;
    CacheSet *set = set_of(file->cache, dataset, chunk);
    pthread_mutex_lock(&set->lock);
    Status status = bring_forward(file, dataset, chunk, set, message);
    if (status == TBGEN_OK)
        copy_item(dataset, set->chunks[0].bytes, item % dataset->per_chunk, bytes);
    pthread_mutex_unlock(&set->lock);
    return status;
}

static Status number_at(const File *file, int dataset, uint64_t item, uint64_t *number, char *message)
{
    uint8_t bytes[MAX_ITEM_BYTES];
    TRY(item_at(file, dataset, item, bytes, message));
    *number = little_endian(bytes, file->datasets[dataset].bytes);
    return TBGEN_OK;
}

static void destroy_cache(Cache *cache)
{
    for (size_t i = 0; i < cache->count; i++) {
        for (int way = 0; way < WAYS; way++)
            free(cache->sets[i].chunks[way].bytes);
        pthread_mutex_destroy(&cache->sets[i].lock);
    }
    free(cache->sets);
    while (cache->idle) {
        Workspace *workspace = cache->idle;
        cache->idle = workspace->next;
        free_workspace(workspace);
    }
    pthread_mutex_destroy(&cache->lock);
}

static bool make_cache(Cache *cache, size_t megabytes)
{
    size_t wanted = megabytes ? megabytes * ((1 << 20) / SET_BYTES) : 1;
    make_crc_table(cache->crc);
    pthread_mutex_init(&cache->lock, NULL);
    cache->sets = calloc(wanted, sizeof *cache->sets);
    if (!cache->sets)
        return false;
    while (cache->count < wanted && !pthread_mutex_init(&cache->sets[cache->count].lock, NULL))
        cache->count++;
    return cache->count == wanted;
}

/* ---- chess: squares, attacks, legal moves ---- */

#define FILE_A UINT64_C(0x0101010101010101)
#define FILE_H (FILE_A << 7)
#define FILES_AB (FILE_A | FILE_A << 1)
#define FILES_GH (FILE_H | FILE_H >> 1)
#define EVERYWHERE (~UINT64_C(0))
#define RANK_1 UINT64_C(0xFF)
#define LAST_RANKS (RANK_1 | RANK_1 << 56)

enum { MAX_OF_SIDE = 16 };

/* How far a step goes, and from where it does not leave the board. */
static const struct {
    int by;
    uint64_t from;
} steps[] = {
    {8, EVERYWHERE}, {-8, EVERYWHERE}, {1, ~FILE_H}, {-1, ~FILE_A}, /* of a rook */
    {7, ~FILE_A},    {9, ~FILE_H},     {-9, ~FILE_A}, {-7, ~FILE_H}, /* of a bishop */
    {17, ~FILE_H},   {15, ~FILE_A},    {10, ~FILES_GH}, {6, ~FILES_AB},
    {-17, ~FILE_A},  {-15, ~FILE_H},   {-10, ~FILES_AB}, {-6, ~FILES_GH}, /* of a knight */
};

enum { FIRST_DIAGONAL = 4, FIRST_JUMP = 8, STEPS = 16 };
static const int forward[2] = {0, 1};            /* the step of a pawn of each side */
static const int captures[2][2] = {{4, 5}, {6, 7}};

/* Of a number that is no square it is some other one. */
static uint64_t bit(int square) { return UINT64_C(1) << (square & 63); }

#ifdef __GNUC__
static int count_of(uint64_t squares) { return __builtin_popcountll(squares); }
static int lowest(uint64_t squares) { return __builtin_ctzll(squares); }
#else
static int count_of(uint64_t squares)
{
    int count = 0;
    for (; squares; squares &= squares - 1)
        count++;
    return count;
}
static int lowest(uint64_t squares) { return count_of((squares & -squares) - 1); }
#endif

static uint64_t step(uint64_t squares, int number)
{
    int by = steps[number].by;
    squares &= steps[number].from;
    return by > 0 ? squares << by : squares >> -by;
}

/* The squares along a line, to the first man on it. */
static uint64_t line(uint64_t squares, int number, uint64_t occupied)
{
    uint64_t found = 0;
    while ((squares = step(squares, number))) {
        found |= squares;
        squares &= ~occupied;
    }
    return found;
}

static uint64_t all_men(const Position *position) { return position->sides[WHITE] | position->sides[BLACK]; }

static uint64_t men_of(const Position *position, int side, int role)
{
    return position->sides[side] & position->roles[role];
}

/* The men of both sides that go along a line. */
static uint64_t sliders(const Position *position, int number)
{
    return position->roles[QUEEN] | position->roles[number < FIRST_DIAGONAL ? ROOK : BISHOP];
}

/* The squares that a side attacks. */
static uint64_t attacks_of(const Position *position, int side, uint64_t occupied)
{
    uint64_t men = position->sides[side];
    uint64_t pawns = men & position->roles[PAWN];
    uint64_t found = step(pawns, captures[side][0]) | step(pawns, captures[side][1]);
    for (int number = 0; number < FIRST_JUMP; number++) {
        found |= step(men & position->roles[KING], number);
        found |= line(men & sliders(position, number), number, occupied);
    }
    for (int number = FIRST_JUMP; number < STEPS; number++)
        found |= step(men & position->roles[KNIGHT], number);
    return found;
}

static bool in_check(const Position *position, int side)
{
    return attacks_of(position, !side, all_men(position)) & men_of(position, side, KING);
}

static int role_on(const Position *position, uint64_t square)
{
    int role = KING;
    while (role < PAWN && !(position->roles[role] & square))
        role++;
    return role;
}

static bool is_en_passant(const Position *position, const Move *move)
{
    return position->en_passant && move->to == position->en_passant && move->from % 8 != move->to % 8 &&
           position->roles[PAWN] & bit(move->from);
}

static bool is_reset(const Position *position, const Move *move)
{
    return all_men(position) & bit(move->to) || position->roles[PAWN] & bit(move->from);
}

static void clear(Position *position, uint64_t squares)
{
    for (int side = WHITE; side <= BLACK; side++)
        position->sides[side] &= ~squares;
    for (int role = KING; role < ROLES; role++)
        position->roles[role] &= ~squares;
}

static Position after(const Position *position, const Move *move)
{
    Position next = *position;
    int role = role_on(position, bit(move->from));
    clear(&next, bit(move->from) | bit(move->to));
    if (is_en_passant(position, move))
        clear(&next, bit(move->from / 8 * 8 + move->to % 8));
    next.sides[position->to_move] |= bit(move->to);
    next.roles[move->promotion ? move->promotion : role] |= bit(move->to);
    next.to_move = !position->to_move;
    next.en_passant = 0;
    if (role == PAWN && abs(move->to - move->from) == 16)
        next.en_passant = (move->from + move->to) / 2;
    return next;
}

/* The legal moves of the side to move. */
typedef struct {
    int men;
    int from[MAX_OF_SIDE];
    uint64_t targets[MAX_OF_SIDE];
    bool in_check;
    bool en_passant; /* one of them is a capture en passant */
} Legal;

/* What holds men back: every way out of a check, and for each line from the king the man that is pinned to it. */
typedef struct {
    uint64_t answers; /* squares that end every check of the king, if another man moves there */
    uint64_t pinned[FIRST_JUMP];
    uint64_t pin_line[FIRST_JUMP];
} Bonds;

static Bonds bonds_of(const Position *position, int side)
{
    uint64_t king = men_of(position, side, KING);
    uint64_t enemies = position->sides[!side];
    uint64_t occupied = all_men(position);
    Bonds bonds = {.answers = EVERYWHERE};
    for (int number = 0; number < FIRST_JUMP; number++) {
        uint64_t seen = line(king, number, occupied);
        if (seen & enemies & sliders(position, number))
            bonds.answers &= seen;
        uint64_t own = seen & position->sides[side];
        uint64_t beyond = line(own, number, occupied);
        if (beyond & enemies & sliders(position, number)) {
            bonds.pinned[number] = own;
            bonds.pin_line[number] = seen | beyond;
        }
    }
    for (int number = FIRST_JUMP; number < STEPS; number++) {
        uint64_t knight = step(king, number) & enemies & position->roles[KNIGHT];
        if (knight)
            bonds.answers &= knight;
    }
    for (int way = 0; way < 2; way++) {
        uint64_t pawn = step(king, captures[side][way]) & enemies & position->roles[PAWN];
        if (pawn)
            bonds.answers &= pawn;
    }
    return bonds;
}

static uint64_t pawn_targets(const Position *position, uint64_t pawn)
{
    int side = position->to_move;
    uint64_t empty = ~all_men(position);
    uint64_t third_rank = RANK_1 << (side == WHITE ? 16 : 40);
    uint64_t one = step(pawn, forward[side]) & empty;
    uint64_t two = step(one & third_rank, forward[side]) & empty;
    uint64_t attacked = step(pawn, captures[side][0]) | step(pawn, captures[side][1]);
    return one | two | (attacked & position->sides[!side]);
}

/* Where a man can go that is no king, but for bonds and captures en passant. */
static uint64_t targets_of(const Position *position, uint64_t man)
{
    uint64_t found = 0;
    if (position->roles[PAWN] & man)
        return pawn_targets(position, man);
    if (position->roles[KNIGHT] & man) {
        for (int number = FIRST_JUMP; number < STEPS; number++)
            found |= step(man, number);
        return found;
    }
    for (int number = 0; number < FIRST_JUMP; number++)
        if (sliders(position, number) & man)
            found |= line(man, number, all_men(position));
    return found;
}

/* The square on which a pawn can legally capture en passant, or none. */
static uint64_t en_passant_target(const Position *position, uint64_t pawn)
{
    int side = position->to_move;
    uint64_t attacked = step(pawn, captures[side][0]) | step(pawn, captures[side][1]);
    if (!position->en_passant || !(attacked & bit(position->en_passant)))
        return 0;
    Move move = {lowest(pawn), position->en_passant, 0};
    Position next = after(position, &move);
    return in_check(&next, side) ? 0 : bit(position->en_passant);
}

static uint64_t king_targets(const Position *position, uint64_t king)
{
    int side = position->to_move;
    uint64_t found = 0;
    for (int number = 0; number < FIRST_JUMP; number++)
        found |= step(king, number);
    found &= ~position->sides[side];
    return found & ~attacks_of(position, !side, all_men(position) ^ king); /* it does not hide the squares behind it */
}

static uint64_t bound_targets(const Position *position, uint64_t man, const Bonds *bonds)
{
    uint64_t found = targets_of(position, man) & ~position->sides[position->to_move] & bonds->answers;
    for (int number = 0; number < FIRST_JUMP; number++)
        if (bonds->pinned[number] == man)
            found &= bonds->pin_line[number];
    return found;
}

static Legal legal_moves(const Position *position)
{
    int side = position->to_move;
    uint64_t king = men_of(position, side, KING);
    Bonds bonds = bonds_of(position, side);
    Legal legal = {.in_check = bonds.answers != EVERYWHERE};
    for (uint64_t left = position->sides[side]; left && legal.men < MAX_OF_SIDE; left &= left - 1) {
        uint64_t man = left & -left;
        uint64_t targets = man == king ? king_targets(position, man) : bound_targets(position, man, &bonds);
        uint64_t en_passant = position->roles[PAWN] & man ? en_passant_target(position, man) : 0;
        legal.from[legal.men] = lowest(man);
        legal.targets[legal.men] = targets | en_passant;
        legal.en_passant = legal.en_passant || en_passant;
        legal.men++;
    }
    return legal;
}

static bool promotes(const Position *position, int from, int to)
{
    return position->roles[PAWN] & bit(from) && LAST_RANKS & bit(to);
}

static Score score_of(const Position *position, const Legal *legal)
{
    int count = 0;
    for (int man = 0; man < legal->men; man++) {
        count += count_of(legal->targets[man]);
        if (position->roles[PAWN] & bit(legal->from[man]))
            count += 3 * count_of(legal->targets[man] & LAST_RANKS);
    }
    return (Score){!position->to_move, 2 * count + !legal->in_check};
}

static int list_moves(const Position *position, const Legal *legal, Move *moves)
{
    int count = 0;
    for (int man = 0; man < legal->men; man++)
        for (uint64_t left = legal->targets[man]; left; left &= left - 1) {
            Move move = {legal->from[man], lowest(left), 0};
            bool is_promotion = promotes(position, move.from, move.to);
            if (count + KNIGHT > TBGEN_MOVES)
                return count; /* of no legal position */
            if (!is_promotion)
                moves[count++] = move;
            for (move.promotion = QUEEN; is_promotion && move.promotion <= KNIGHT; move.promotion++)
                moves[count++] = move;
        }
    return count;
}

static bool same_score(Score a, Score b) { return a.holder == b.holder && a.code == b.code; }

static Status check_en_passant(const Position *position, char *message)
{
    int square = position->en_passant;
    int ahead = position->to_move == WHITE ? 8 : -8;
    if (!square)
        return TBGEN_OK;
    if (square < 0 || square > 63 || square / 8 != (position->to_move == WHITE ? 5 : 2) ||
        all_men(position) & (bit(square) | bit(square + ahead)) ||
        !(men_of(position, !position->to_move, PAWN) & bit(square - ahead)))
        return fail(message, TBGEN_BAD_POSITION, "no pawn can be taken en passant on square %d", square);
    return TBGEN_OK;
}

static Status check_position(const Position *position, char *message)
{
    uint64_t seen = 0;
    uint64_t twice = position->sides[WHITE] & position->sides[BLACK];
    for (int role = KING; role < ROLES; role++) {
        twice |= seen & position->roles[role];
        seen |= position->roles[role];
    }
    if (position->to_move != WHITE && position->to_move != BLACK)
        return fail(message, TBGEN_BAD_POSITION, "no side %d can be to move", position->to_move);
    if (twice || seen != all_men(position))
        return fail(message, TBGEN_BAD_POSITION, "a square has not one man of one side");
    for (int side = WHITE; side <= BLACK; side++) {
        int kings = count_of(men_of(position, side, KING));
        int men = count_of(position->sides[side]);
        if (kings != 1)
            return fail(message, TBGEN_BAD_POSITION, "a side has %d kings", kings);
        if (men > MAX_OF_SIDE)
            return fail(message, TBGEN_BAD_POSITION, "a side has %d men", men);
    }
    if (position->roles[PAWN] & LAST_RANKS)
        return fail(message, TBGEN_BAD_POSITION, "a pawn stands on its first or last rank");
    if (in_check(position, !position->to_move))
        return fail(message, TBGEN_BAD_POSITION, "the side that is not to move is in check");
    return check_en_passant(position, message);
}

/* ---- where a position lies ---- */

#define PAIRS ".pairs" /* in the name of a table of the placements with an opposed pair of pawns */
enum { MAX_MEN = 8, MAX_NAME = MAX_MEN + 1 + sizeof PAIRS };

typedef struct {
    uint64_t pawns; /* as packed by packed_list */
    uint64_t number;
} Block;

enum Opening { UNOPENED, OPENED, FAILED };

typedef struct Table {
    char name[MAX_NAME];
    const char *folder;
    atomic_int opening; /* an enum Opening; what follows is read only after OPENED or FAILED */
    Status status;
    char reason[TBGEN_MESSAGE]; /* why it cannot be asked */
    bool has_distances;
    int pawns;
    int men; /* beside the white king and the pawns, the black king included */
    uint64_t block_count;
    Block *blocks; /* in the order of their pawns; NULL without pawns */
    File outcomes;
    File distances;
    struct Table *next;
} Table;

/* Some men of a board, in the order of the axes: 64 * number of their kind + square, ascending. */
typedef struct {
    int count;
    int men[MAX_MEN];
} List;

static int transposed(int square) { return square % 8 * 8 + square / 8; }

static void add_men(List *list, int kind, uint64_t squares, int turned)
{
    for (; squares && list->count < MAX_MEN; squares &= squares - 1)
        list->men[list->count++] = 64 * kind + (lowest(squares) ^ turned);
}

static void sort(List *list)
{
    for (int i = 1; i < list->count; i++)
        for (int j = i; j > 0 && list->men[j - 1] > list->men[j]; j--) {
            int man = list->men[j];
            list->men[j] = list->men[j - 1];
            list->men[j - 1] = man;
        }
}

/* Turn the board: the bits of `turned` are flipped in each square. */
static List turned_list(List list, int turned)
{
    for (int i = 0; i < list.count; i++)
        list.men[i] ^= turned;
    sort(&list);
    return list;
}

static List transposed_list(List list)
{
    for (int i = 0; i < list.count; i++)
        list.men[i] = list.men[i] / 64 * 64 + transposed(list.men[i] % 64);
    sort(&list);
    return list;
}

/* Below 0 if the first list comes first. */
static int compare(const List *a, const List *b)
{
    for (int i = 0; i < a->count; i++)
        if (a->men[i] != b->men[i])
            return a->men[i] - b->men[i];
    return 0;
}

static uint64_t packed_list(const List *list)
{
    uint64_t packed = 0;
    for (int i = 0; i < list->count; i++)
        packed = packed << 6 | (uint64_t)(list->men[i] % 64);
    return packed;
}

static int by_pawns(const void *a, const void *b)
{
    const Block *first = a;
    const Block *second = b;
    return first->pawns < second->pawns ? -1 : first->pawns > second->pawns;
}

enum { MIRROR_FILES = 7, MIRROR_RANKS = 56 };

/* The white king and the men of the axes, White being the stronger side. */
typedef struct {
    int king;
    List pieces;
} Placing;

static void turn(Placing *placing, int turned)
{
    placing->king ^= turned;
    placing->pieces = turned_list(placing->pieces, turned);
}

static void turn_without_pawns(Placing *placing)
{
    int file = placing->king % 8;
    int rank = placing->king / 8;
    turn(placing, (file > 3 ? MIRROR_FILES : 0) | (rank > 3 ? MIRROR_RANKS : 0));
    file = placing->king % 8;
    rank = placing->king / 8;
    if (rank < file)
        return;
    List image = transposed_list(placing->pieces);
    if (rank > file || compare(&image, &placing->pieces) < 0)
        placing->pieces = image;
    placing->king = transposed(placing->king);
}

/* The block of the pawns, whose squares are transposed: files count before ranks. */
static Status turn_with_pawns(const Table *table, Placing *placing, List pawns, uint64_t *block, char *message)
{
    List image = turned_list(pawns, transposed(MIRROR_FILES));
    int order = compare(&image, &pawns);
    if (order < 0 || (order == 0 && placing->king % 8 > 3)) {
        turn(placing, MIRROR_FILES);
        pawns = image;
    }
    Block wanted = {packed_list(&pawns), 0};
    const Block *found = bsearch(&wanted, table->blocks, (size_t)table->block_count, sizeof *found, by_pawns);
    if (!found)
        return damaged(&table->outcomes, "it has no block of these pawns", message);
    *block = found->number;
    return TBGEN_OK;
}

/* The number of a position among the places of a table; `strong` is the side that the table has as White. */
static Status place_of(const Table *table, const Position *position, int strong, uint64_t *place, char *message)
{
    int turned = strong == WHITE ? 0 : MIRROR_RANKS;
    uint64_t block = 0;
    Placing placing = {lowest(men_of(position, strong, KING)) ^ turned, {0}};
    int kind = 0;
    for (int side = 0; side < 2; side++)
        for (int role = QUEEN; role <= KNIGHT; role++)
            add_men(&placing.pieces, kind++, men_of(position, side ^ strong, role), turned);
    add_men(&placing.pieces, kind, men_of(position, !strong, KING), turned);
    sort(&placing.pieces);
    if (table->pawns) {
        List pawns = {0};
        add_men(&pawns, 0, men_of(position, strong, PAWN), turned);
        add_men(&pawns, 1, men_of(position, !strong, PAWN), turned);
        TRY(turn_with_pawns(table, &placing, transposed_list(pawns), &block, message));
    } else
        turn_without_pawns(&placing);
    *place = 2 * block + (uint64_t)(position->to_move ^ strong);
    for (int i = placing.pieces.count; i--;)
        *place = 64 * *place + (uint64_t)(placing.pieces.men[i] % 64);
    int file = placing.king % 8;
    int rank = placing.king / 8;
    if (table->pawns)
        *place = 64 * *place + (uint64_t)placing.king;
    else /* rows of 4, 3, 2 and 1 squares */
        *place = 10 * *place + (uint64_t)(rank * (9 - rank) / 2 + file - rank);
    return TBGEN_OK;
}

/* ---- tables of folders ---- */

enum { MAX_BLOCKS = 1 << 24 };

/* The men of a table or position: four bits for the number of each kind, White's first; and whether it is of pairs. */
#define PAIRS_KEY (UINT64_C(1) << 63)

typedef struct {
    uint64_t key;
    Table *table;
    int strong; /* the side that the table has as White */
} Material;

struct tbgen_tables {
    pthread_mutex_t lock; /* of opening a table */
    char *folders;
    Cache cache;
    Table *first;
    Material *materials; /* in the order of their keys */
    size_t material_count;
    int largest;
};

static const char roles_as_text[] = "KQRBNP";

static uint64_t unit_of(int side, int role) { return UINT64_C(1) << (4 * (ROLES * side + role)); }

static uint64_t key_of(const Position *position)
{
    uint64_t key = 0;
    for (int side = WHITE; side <= BLACK; side++)
        for (int role = KING; role < ROLES; role++)
            key += unit_of(side, role) * (uint64_t)(count_of(men_of(position, side, role)) & 15);
    return key;
}

/* The key of a name, such as KRvKP or KRPvKRP.pairs, if White is the side that it names first; 0 if it is no name. */
static uint64_t key_of_name(const char *name, int *men)
{
    uint64_t key = 0;
    int side = WHITE;
    *men = 0;
    for (; *name && *name != '.'; name++) {
        const char *role = strchr(roles_as_text, *name);
        if (*name == 'v')
            side++;
        else if (role && ++*men <= MAX_MEN && side <= BLACK)
            key += unit_of(side, (int)(role - roles_as_text));
        else
            return 0;
    }
    bool has_kings = key % 16 == 1 && key / unit_of(BLACK, KING) % 16 == 1;
    if (side != BLACK || !has_kings || (*name && strcmp(name, PAIRS)))
        return 0;
    return *name ? key | PAIRS_KEY : key;
}

static uint64_t exchanged(uint64_t key)
{
    uint64_t white = key % unit_of(BLACK, KING);
    uint64_t black = (key & ~PAIRS_KEY) / unit_of(BLACK, KING);
    return (key & PAIRS_KEY) | white * unit_of(BLACK, KING) | black;
}

static int by_key(const void *a, const void *b)
{
    const Material *first = a;
    const Material *second = b;
    return first->key < second->key ? -1 : first->key > second->key;
}

static const Material *find_material(const tbgen_tables *tables, uint64_t key)
{
    Material wanted = {key, NULL, 0};
    if (tables->material_count == 0)
        return NULL;
    return bsearch(&wanted, tables->materials, tables->material_count, sizeof wanted, by_key);
}

/* Whether a white pawn stands below a black one on the same file. */
static bool has_opposed_pair(const Position *position)
{
    uint64_t above = men_of(position, WHITE, PAWN) << 8;
    for (int by = 8; by < 64; by *= 2)
        above |= above << by;
    return above & men_of(position, BLACK, PAWN);
}

/* The table of a position: a whole one, or one of opposed pairs alone; NULL if there is none. */
static const Material *material_of(const tbgen_tables *tables, const Position *position)
{
    if (count_of(all_men(position)) > tables->largest)
        return NULL;
    uint64_t key = key_of(position);
    const Material *found = find_material(tables, key);
    if (!found && has_opposed_pair(position))
        found = find_material(tables, key | PAIRS_KEY);
    return found;
}

static Status no_table(const Position *position, char *message)
{
    char name[MAX_NAME] = "";
    int size = 0;
    if (count_of(all_men(position)) > MAX_MEN)
        return fail(message, TBGEN_NO_TABLE, "there is no table of %d men", count_of(all_men(position)));
    for (int side = WHITE; message && side <= BLACK; side++) {
        for (int role = KING; role < ROLES; role++)
            for (int men = count_of(men_of(position, side, role)); men > 0; men--)
                name[size++] = roles_as_text[role];
        if (side == WHITE)
            name[size++] = 'v';
    }
    return fail(message, TBGEN_NO_TABLE, "there is no table of %s", name);
}

static Status check_size(const Table *table, const File *file, int dataset, char *message)
{
    uint64_t places = 2 * table->block_count * (table->pawns ? 64 : 10);
    for (int i = 0; i < table->men; i++)
        places *= 64;
    if (file->datasets[dataset].items != places)
        return damaged(file, "it has not an item for each place", message);
    return TBGEN_OK;
}

static Status read_blocks(Table *table, char *message)
{
    const File *file = &table->outcomes;
    const Dataset *squares = &file->datasets[BLOCK_SQUARES];
    table->block_count = table->pawns ? squares->items / (uint64_t)table->pawns : 1;
    if (table->block_count > MAX_BLOCKS || (table->pawns && squares->items % (uint64_t)table->pawns))
        return damaged(file, "its blocks cannot be those of its pawns", message);
    if (!table->pawns)
        return TBGEN_OK;
    TRY(allocate(table->block_count * sizeof *table->blocks, &table->blocks, message));
    for (uint64_t block = 0; block < table->block_count; block++) {
        List pawns = {.count = table->pawns};
        for (int i = 0; i < table->pawns; i++)
            pawns.men[i] = transposed(squares->whole[block * (uint64_t)table->pawns + (uint64_t)i] % 64);
        table->blocks[block] = (Block){packed_list(&pawns), block};
    }
    qsort(table->blocks, (size_t)table->block_count, sizeof *table->blocks, by_pawns);
    return TBGEN_OK;
}

static Status open_layer(File *file, const Table *table, const char *layer, const char *ending, char *message)
{
    int size = snprintf(file->path, sizeof file->path, "%s/%s%s", table->folder, table->name, ending);
    if (size < 0 || (size_t)size >= sizeof file->path)
        return fail(message, TBGEN_UNREADABLE, "the name of the folder is too long");
    TRY(open_file(file, message));
    if (strcmp(file->material, table->name) || strcmp(file->layer, layer))
        return damaged(file, "it is not what its name says", message);
    return TBGEN_OK;
}

static Status open_distances(Table *table, char *message)
{
    File *distances = &table->distances;
    Status status = open_layer(distances, table, "distances", ".dtg.h5", message);
    if (status == TBGEN_NO_TABLE)
        return TBGEN_OK;
    TRY(status);
    if (strcmp(table->outcomes.digest, distances->outcomes))
        return damaged(distances, "it belongs to other outcomes", message);
    TRY(check_size(table, distances, DTG, message));
    TRY(check_size(table, distances, DETAIL, message));
    table->has_distances = true;
    return TBGEN_OK;
}

static Status open_files(Table *table, char *message)
{
    static const int asked_always[] = {BLOCK_SQUARES, SYMBOLS, OUTCOME_ROWS};
    table->pawns = 0;
    table->men = 0;
    for (const char *man = table->name + 1; *man && *man != '.'; man++)
        if (*man == 'P')
            table->pawns++;
        else if (*man != 'v')
            table->men++;
    TRY(open_layer(&table->outcomes, table, "outcomes", ".h5", message));
    for (int i = 0; i < 3; i++)
        TRY(load_whole(&table->outcomes, asked_always[i], message));
    TRY(read_blocks(table, message));
    TRY(check_size(table, &table->outcomes, SYMBOL, message));
    return open_distances(table, message);
}

static void close_table(Table *table)
{
    close_file(&table->outcomes);
    close_file(&table->distances);
    free(table->blocks);
    table->blocks = NULL;
}

/* Open a table once. A damaged one is not tried again: every question to it gets the same answer. */
static Status open_table(tbgen_tables *tables, Table *table, char *message)
{
    int opening = atomic_load_explicit(&table->opening, memory_order_acquire);
    if (opening == UNOPENED) {
        pthread_mutex_lock(&tables->lock);
        opening = atomic_load_explicit(&table->opening, memory_order_relaxed);
        if (opening == UNOPENED) {
            table->status = open_files(table, table->reason);
            opening = table->status == TBGEN_OK ? OPENED : FAILED;
            if (opening == FAILED)
                close_table(table);
            atomic_store_explicit(&table->opening, opening, memory_order_release);
        }
        pthread_mutex_unlock(&tables->lock);
    }
    return opening == OPENED ? TBGEN_OK : fail(message, table->status, "%s", table->reason);
}

static Status note_table(tbgen_tables *tables, const char *folder, const char *name, char *message)
{
    int men;
    uint64_t key = key_of_name(name, &men);
    if (!key || find_material(tables, key))
        return TBGEN_OK;
    size_t room = (tables->material_count + 2) * sizeof *tables->materials;
    Material *materials = realloc(tables->materials, room);
    if (materials)
        tables->materials = materials;
    Table *table = calloc(1, sizeof *table);
    if (!materials || !table) {
        free(table);
        return fail(message, TBGEN_NO_MEMORY, "no memory for the names of tables");
    }
    strcpy(table->name, name);
    table->folder = folder;
    table->outcomes.cache = table->distances.cache = &tables->cache;
    table->outcomes.descriptor = table->distances.descriptor = -1;
    table->next = tables->first;
    tables->first = table;
    materials[tables->material_count++] = (Material){key, table, WHITE};
    if (exchanged(key) != key)
        materials[tables->material_count++] = (Material){exchanged(key), table, BLACK};
    qsort(materials, tables->material_count, sizeof *materials, by_key);
    if (men > tables->largest)
        tables->largest = men;
    return TBGEN_OK;
}

static Status look_into(tbgen_tables *tables, const char *folder, char *message)
{
    static const char ending[] = ".h5";
    Status status = TBGEN_OK;
    struct dirent *entry;
    DIR *directory = opendir(folder);
    if (!directory)
        return fail(message, TBGEN_UNREADABLE, "%s: %s", folder, strerror(errno));
    while (status == TBGEN_OK && (entry = readdir(directory))) {
        char name[MAX_NAME + sizeof ending];
        size_t size = strlen(entry->d_name);
        if (size < sizeof ending || size >= sizeof name || strcmp(entry->d_name + size - strlen(ending), ending))
            continue;
        strcpy(name, entry->d_name);
        name[size - strlen(ending)] = 0;
        status = note_table(tables, folder, name, message);
    }
    closedir(directory);
    return status;
}

/* ---- the value of a position ---- */

static Status outcome_of(const File *file, uint8_t byte, Score *score, char *message)
{
    int outcome = byte < 128 ? byte : byte - 256;
    if (outcome == 0)
        return damaged(file, "it has an outcome that is none", message);
    *score = outcome > 0 ? (Score){WHITE, outcome - 1} : (Score){BLACK, -outcome - 1};
    return TBGEN_OK;
}

/* The last of some rows that has the accrued holder and a code of at most the accrued one. */
static Status find_row(const File *file, int dataset, uint64_t first, uint64_t count, Score accrued, bool *found,
                       Value *value, char *message)
{
    uint8_t bytes[MAX_ITEM_BYTES]; /* holder, code, outcome; and in a file of distances the plies */
    *found = false;
    while (count--) {
        TRY(item_at(file, dataset, first + count, bytes, message));
        if (bytes[0] != accrued.holder || bytes[1] > accrued.code)
            continue;
        *found = true;
        value->plies = dataset == ROWS ? (int)little_endian(bytes + 3, 2) : -1;
        return outcome_of(file, bytes[2], &value->outcome, message);
    }
    return TBGEN_OK;
}

/* What a table says of a position, White being its stronger side. */
typedef struct {
    const Table *table;
    uint64_t place;
    uint64_t symbol;
    Score entry;
    enum { IS_ENTRY, STANDS, BREAKS } end;
    Score outcome;
} Found;

static Status find_outcome(Found *found, Score own, Score accrued, char *message)
{
    const File *file = &found->table->outcomes;
    uint8_t bytes[MAX_ITEM_BYTES]; /* entry, first row, rows */
    bool has_row;
    Value row = {0};
    TRY(number_at(file, SYMBOL, found->place, &found->symbol, message));
    TRY(item_at(file, SYMBOLS, found->symbol, bytes, message));
    TRY(outcome_of(file, bytes[0], &found->entry, message));
    found->end = IS_ENTRY;
    found->outcome = found->entry;
    if (same_score(accrued, own) || found->entry.code < accrued.code)
        return TBGEN_OK;
    TRY(find_row(file, OUTCOME_ROWS, little_endian(bytes + 1, 4), bytes[5], accrued, &has_row, &row, message));
    int gain = has_row ? tbgen_rank(row.outcome) - tbgen_rank(accrued) : 0;
    bool breaks = accrued.holder == WHITE ? gain < 0 : gain > 0;
    found->end = breaks ? BREAKS : STANDS;
    found->outcome = breaks ? row.outcome : accrued;
    return TBGEN_OK;
}

/* The distance of what a hold breaks into. */
static Status find_break(const Found *found, int plies_of_entry, Score accrued, int *plies, char *message)
{
    const File *file = &found->table->distances;
    uint64_t group, state, detail;
    uint8_t bytes[MAX_ITEM_BYTES]; /* first row, rows */
    bool has_row;
    Value row;
    TRY(number_at(file, SYMBOL_GROUPS, found->symbol, &group, message));
    TRY(number_at(file, GROUP_STATES, group + (uint64_t)plies_of_entry, &state, message));
    TRY(number_at(file, DETAIL, found->place, &detail, message));
    TRY(item_at(file, STATES, state + detail, bytes, message));
    TRY(find_row(file, ROWS, little_endian(bytes, 4), bytes[4], accrued, &has_row, &row, message));
    if (!has_row || !same_score(row.outcome, found->outcome))
        return damaged(file, "its distances have another outcome than its outcomes", message);
    *plies = row.plies;
    return TBGEN_OK;
}

static Status find_plies(const Found *found, int to_move, Score accrued, int *plies, char *message)
{
    uint64_t stored;
    *plies = found->end == STANDS ? 0 : -1;
    if (found->end == STANDS || !found->table->has_distances)
        return TBGEN_OK;
    TRY(number_at(&found->table->distances, DTG, found->place, &stored, message));
    if (stored > UINT16_MAX)
        return damaged(&found->table->distances, "it has a distance that is too long", message);
    int plies_of_entry = (int)(to_move == found->entry.holder ? stored ^ 1 : stored);
    *plies = plies_of_entry;
    return found->end == IS_ENTRY ? TBGEN_OK : find_break(found, plies_of_entry, accrued, plies, message);
}

/* The value that the table of a position has. `plies` may be NULL. */
static Status value_in_table(tbgen_tables *tables, const Position *position, Score own, Score accrued,
                             Score *outcome, int *plies, char *message)
{
    const Material *material = material_of(tables, position);
    if (!material)
        return no_table(position, message);
    Found found = {.table = material->table};
    TRY(open_table(tables, material->table, message));
    TRY(place_of(found.table, position, material->strong, &found.place, message));
    own.holder ^= material->strong;
    accrued.holder ^= material->strong;
    TRY(find_outcome(&found, own, accrued, message));
    *outcome = found.outcome;
    outcome->holder ^= material->strong;
    return plies ? find_plies(&found, position->to_move ^ material->strong, accrued, plies, message) : TBGEN_OK;
}

static Status probe_moves(tbgen_tables *tables, const Position *position, const Legal *legal, Score accrued,
                          RootMove *moves, int *count, char *message);

/* A position with a legal capture en passant is in no table: its value is that of its best move. */
static Status value_by_moves(tbgen_tables *tables, const Position *position, const Legal *legal, Score accrued,
                             Value *value, char *message)
{
    RootMove moves[TBGEN_MOVES];
    int count;
    TRY(probe_moves(tables, position, legal, accrued, moves, &count, message));
    *value = moves[0].value;
    if (same_score(value->outcome, accrued))
        value->plies = 0;
    return TBGEN_OK;
}

/* The value of a position with what has accrued, of which the own score is a part. */
static Status value_of(tbgen_tables *tables, const Position *position, const Legal *legal, Score accrued,
                       Value *value, char *message)
{
    Score own = score_of(position, legal);
    if (legal->en_passant)
        return value_by_moves(tables, position, legal, accrued, value, message);
    return value_in_table(tables, position, own, accrued, &value->outcome, &value->plies, message);
}

/* The plies count from the position before the move; they are 0 if the move keeps the outcome that has accrued. */
static Status value_of_move(tbgen_tables *tables, const Position *position, const Move *move, Score accrued,
                            Value *value, char *message)
{
    Position next = after(position, move);
    Legal legal = legal_moves(&next);
    Score carried = tbgen_accrue(accrued, score_of(&next, &legal), is_reset(position, move));
    TRY(value_of(tables, &next, &legal, carried, value, message));
    bool keeps = same_score(carried, accrued) && !is_reset(position, move) && same_score(value->outcome, accrued);
    if (keeps)
        value->plies = 0;
    else if (value->plies >= 0)
        value->plies++;
    return TBGEN_OK;
}

/* Whether a move comes before another one: who makes progress hurries, and the other side delays. */
static bool is_better(const Value *a, const Value *b, int side, Score accrued)
{
    int sign = side == WHITE ? 1 : -1;
    int gain = sign * (tbgen_rank(a->outcome) - tbgen_rank(b->outcome));
    int progress = sign * (tbgen_rank(a->outcome) - tbgen_rank(accrued));
    if (gain)
        return gain > 0;
    return progress < 0 ? a->plies > b->plies : a->plies < b->plies;
}

static Status probe_moves(tbgen_tables *tables, const Position *position, const Legal *legal, Score accrued,
                          RootMove *moves, int *count, char *message)
{
    Move legal_list[TBGEN_MOVES];
    *count = list_moves(position, legal, legal_list);
    for (int i = 0; i < *count; i++) {
        RootMove found = {legal_list[i], {{0, 0}, 0}};
        int at = i;
        TRY(value_of_move(tables, position, &found.move, accrued, &found.value, message));
        for (; at > 0 && is_better(&found.value, &moves[at - 1].value, position->to_move, accrued); at--)
            moves[at] = moves[at - 1];
        moves[at] = found;
    }
    return TBGEN_OK;
}

/* No game can carry such a score: it would have ended, or a king alone would have given check or had nine moves. */
static Status check_accrued(const Position *position, Score accrued, char *message)
{
    int holder = accrued.holder;
    bool is_side = holder == WHITE || holder == BLACK;
    if (!is_side || accrued.code < 2 || (count_of(position->sides[holder]) == 1 && accrued.code % 2 == 0) ||
        (count_of(position->sides[!holder]) == 1 && accrued.code > 17))
        return fail(message, TBGEN_BAD_SCORE, "no game can carry this accrued score");
    return TBGEN_OK;
}

/* What every question that is not trusted begins with. Of the own and the accrued score the better one counts. */
static Status check_question(const Position *position, Score *accrued, Legal *legal, char *message)
{
    TRY(check_position(position, message));
    *legal = legal_moves(position);
    Score own = score_of(position, legal);
    if (!same_score(*accrued, own))
        TRY(check_accrued(position, *accrued, message));
    *accrued = tbgen_accrue(*accrued, own, false);
    return TBGEN_OK;
}

/* ---- texts ---- */

static Status read_squares(const char *fen, Position *position, char *message)
{
    int file = 0;
    int rank = 7;
    for (; *fen; fen++) {
        const char *role = strchr(roles_as_text, toupper((unsigned char)*fen));
        if (*fen == '/') {
            if (file != 8 || rank-- == 0)
                return fail(message, TBGEN_BAD_POSITION, "a rank of the FEN has not eight squares");
            file = 0;
        } else if (*fen >= '1' && *fen <= '8')
            file += *fen - '0';
        else if (role && file < 8) {
            uint64_t square = bit(8 * rank + file++);
            position->sides[islower((unsigned char)*fen) ? BLACK : WHITE] |= square;
            position->roles[role - roles_as_text] |= square;
        } else
            return fail(message, TBGEN_BAD_POSITION, "the FEN has a sign that is no man: %c", *fen);
    }
    if (rank || file != 8)
        return fail(message, TBGEN_BAD_POSITION, "the FEN has not eight ranks of eight squares");
    return TBGEN_OK;
}

static bool is_clock(const char *field)
{
    size_t digits = strspn(field, "0123456789");
    return digits && digits <= 5 && !field[digits];
}

/* The fields after the first four, of which any may be left out. */
static Status check_last_fields(const char *fen, char *message)
{
    char clock[8], number[8], score[TBGEN_TEXT], more[2];
    Score accrued;
    int fields = sscanf(fen, " %*s %*s %*s %*s %7s %7s %15s %1s", clock, number, score, more);
    if (fields > 0 && !is_clock(clock))
        return fail(message, TBGEN_BAD_POSITION, "the halfmove clock is no number of up to five digits");
    if (fields > 1 && !is_clock(number))
        return fail(message, TBGEN_BAD_POSITION, "the move number is no number of up to five digits");
    if (fields > 2)
        TRY(tbgen_read_score(score, &accrued, message));
    if (fields > 3)
        return fail(message, TBGEN_BAD_POSITION, "the FEN has more than seven fields");
    return TBGEN_OK;
}

static Status position_of_fen(const char *fen, Position *position, char *message)
{
    char squares[100] = "", side[4] = "w", castling[8] = "-", en_passant[4] = "-";
    *position = (Position){.to_move = WHITE};
    sscanf(fen, " %99s %3s %7s %3s", squares, side, castling, en_passant);
    TRY(read_squares(squares, position, message));
    if (strcmp(side, "w") && strcmp(side, "b"))
        return fail(message, TBGEN_BAD_POSITION, "the side to move is neither w nor b");
    position->to_move = *side == 'w' ? WHITE : BLACK;
    if (strcmp(castling, "-"))
        return fail(message, TBGEN_BAD_POSITION, "tables know no castling rights");
    if (strcmp(en_passant, "-")) {
        if (en_passant[0] < 'a' || en_passant[0] > 'h' || en_passant[1] < '1' || en_passant[1] > '8' || en_passant[2])
            return fail(message, TBGEN_BAD_POSITION, "there is no square %s", en_passant);
        position->en_passant = (en_passant[1] - '1') * 8 + en_passant[0] - 'a';
        if (!position->en_passant)
            return fail(message, TBGEN_BAD_POSITION, "no pawn can be taken en passant on square 0");
    }
    TRY(check_last_fields(fen, message));
    return check_position(position, message);
}

/* ---- the public functions ---- */

/* The message of a success is empty. */
static void begin(char *message)
{
    if (message)
        *message = 0;
}

static Status look_into_all(tbgen_tables *tables, char *message)
{
    for (char *folder = tables->folders; folder;) {
        char *colon = strchr(folder, ':');
        if (colon)
            *colon = 0;
        TRY(look_into(tables, folder, message));
        folder = colon ? colon + 1 : NULL;
    }
    return TBGEN_OK;
}

tbgen_tables *tbgen_open(const char *folders, size_t megabytes, char *message)
{
    begin(message);
    tbgen_tables *tables = calloc(1, sizeof *tables);
    if (!tables) {
        fail(message, TBGEN_NO_MEMORY, "no memory for tables");
        return NULL;
    }
    pthread_mutex_init(&tables->lock, NULL);
    tables->folders = malloc(strlen(folders) + 1);
    bool is_made = make_cache(&tables->cache, megabytes) && tables->folders;
    if (!is_made)
        fail(message, TBGEN_NO_MEMORY, "no memory for a cache of %zu MB", megabytes);
    else
        strcpy(tables->folders, folders);
    if (is_made && look_into_all(tables, message) == TBGEN_OK)
        return tables;
    tbgen_close(tables);
    return NULL;
}

void tbgen_close(tbgen_tables *tables)
{
    if (!tables)
        return;
    while (tables->first) {
        Table *table = tables->first;
        tables->first = table->next;
        close_table(table);
        free(table);
    }
    destroy_cache(&tables->cache);
    pthread_mutex_destroy(&tables->lock);
    free(tables->materials);
    free(tables->folders);
    free(tables);
}

int tbgen_largest(const tbgen_tables *tables) { return tables->largest; }

bool tbgen_has_material(const tbgen_tables *tables, const char *material)
{
    int men;
    uint64_t key = key_of_name(material, &men);
    return key && find_material(tables, key);
}

bool tbgen_has_position(const tbgen_tables *tables, const Position *position)
{
    return material_of(tables, position) != NULL;
}

Status tbgen_verify_file(const char *path, char *message)
{
    File file = {.descriptor = -1};
    begin(message);
    if (strlen(path) >= sizeof file.path)
        return fail(message, TBGEN_UNREADABLE, "the name of the file is too long");
    strcpy(file.path, path);
    Status status = open_file(&file, message);
    if (status == TBGEN_OK)
        status = check_every_byte(&file, message);
    close_file(&file);
    return status;
}

Status tbgen_probe(tbgen_tables *tables, const Position *position, Score accrued, Value *value, char *message)
{
    Legal legal;
    begin(message);
    TRY(check_question(position, &accrued, &legal, message));
    return value_of(tables, position, &legal, accrued, value, message);
}

Status tbgen_probe_outcome(tbgen_tables *tables, const Position *position, Score own, Score accrued, Score *outcome,
                           char *message)
{
    begin(message);
    if (position->to_move != WHITE && position->to_move != BLACK)
        return fail(message, TBGEN_BAD_POSITION, "no side %d can be to move", position->to_move);
    if (position->en_passant) {
        Legal legal = legal_moves(position);
        Value value;
        if (legal.en_passant) {
            TRY(value_by_moves(tables, position, &legal, accrued, &value, message));
            *outcome = value.outcome;
            return TBGEN_OK;
        }
    }
    return value_in_table(tables, position, own, accrued, outcome, NULL, message);
}

Status tbgen_probe_root(tbgen_tables *tables, const Position *position, Score accrued, RootMove *moves, int *count,
                        char *message)
{
    Legal legal;
    begin(message);
    TRY(check_question(position, &accrued, &legal, message));
    return probe_moves(tables, position, &legal, accrued, moves, count, message);
}

Status tbgen_own_score(const Position *position, Score *own, char *message)
{
    begin(message);
    TRY(check_position(position, message));
    Legal legal = legal_moves(position);
    *own = score_of(position, &legal);
    return TBGEN_OK;
}

int tbgen_legal_moves(const Position *position, Move *moves)
{
    Legal legal = legal_moves(position);
    return list_moves(position, &legal, moves);
}

Position tbgen_play(const Position *position, Move move) { return after(position, &move); }

bool tbgen_is_reset(const Position *position, Move move) { return is_reset(position, &move); }

Status tbgen_read_fen(const char *fen, Position *position, char *message)
{
    begin(message);
    return position_of_fen(fen, position, message);
}

static const char blanks[] = " \t\r\n";

static bool is_letter(char sign)
{
    return sign == 'G' || sign == 'g';
}

/* The bytes of the sign before a score; `is_black` is whether it names Black. */
static size_t sign_of(const char *text, bool *is_black)
{
    static const char minus[] = "\xe2\x88\x92"; /* U+2212 */
    *is_black = true;
    if (!strncmp(text, minus, sizeof minus - 1))
        return sizeof minus - 1;
    if (*text == '-' || (*text == 'm' && is_letter(text[1])))
        return 1;
    *is_black = false;
    return *text == '+';
}

Status tbgen_read_score(const char *text, Score *score, char *message)
{
    bool is_black;
    const char *at = text + strspn(text, blanks);
    at += sign_of(at, &is_black);
    bool has_letter = is_letter(*at);
    const char *number = at + has_letter;
    size_t digits = strspn(number, "0123456789");
    bool has_number = 0 < digits && digits <= 3 && (digits == 1 || *number != '0');
    const char *rest = number + digits;
    bool has_half = *rest == '.' && (rest[1] == '0' || rest[1] == '5');
    bool is_half = has_half && rest[1] == '5';
    rest += has_half ? 2 : 0;
    begin(message);
    if (!has_number || !(has_letter || has_half) || rest[strspn(rest, blanks)])
        return fail(message, TBGEN_BAD_SCORE, "%s is not a score such as G3.5 or -G3.5", text);
    *score = (Score){is_black ? BLACK : WHITE, 2 * atoi(number) + is_half};
    return TBGEN_OK;
}

void tbgen_write_score(Score score, char text[TBGEN_TEXT])
{
    const char *sign = score.holder == WHITE ? "" : "-";
    snprintf(text, TBGEN_TEXT, "%sG%d.%d", sign, score.code / 2 % 1000, score.code % 2 * 5);
}

void tbgen_write_move(Move move, char text[TBGEN_TEXT])
{
    static const char promotions[] = {[QUEEN] = 'q', [ROOK] = 'r', [BISHOP] = 'b', [KNIGHT] = 'n'};
    snprintf(text, TBGEN_TEXT, "%c%c%c%c%c", 'a' + move.from % 8, '1' + move.from / 8, 'a' + move.to % 8,
             '1' + move.to / 8, promotions[move.promotion]);
}
