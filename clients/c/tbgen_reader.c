/* SPDX-License-Identifier: 0BSD
 *
 * A reader of tbgen's tables (format 3), written from docs/tables.md and docs/rules.md alone; see tbgen_reader.h.
 * It shares no code with tbgen, and needs POSIX and libzstd: no HDF5.
 *
 *     cc -std=c99 -O2 -c tbgen_reader.c
 */
#define _POSIX_C_SOURCE 200809L
#define _FILE_OFFSET_BITS 64
#include "tbgen_reader.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

enum { WHITE = TBGEN_WHITE, BLACK = TBGEN_BLACK };

typedef tbgen_position Position;
typedef tbgen_score Score;
typedef tbgen_value Value;
typedef tbgen_status Status;

/* ---- errors: a function that can fail returns a status, and writes the reason once ---- */

typedef struct {
    char message[TBGEN_MESSAGE];
} Problem;

#define TRY(call)                                                                                                      \
    do {                                                                                                               \
        Status status_ = (call);                                                                                       \
        if (status_ != TBGEN_OK)                                                                                       \
            return status_;                                                                                            \
    } while (0)

static Status fail(Problem *problem, Status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(problem->message, sizeof problem->message, format, arguments);
    va_end(arguments);
    for (char *sign = problem->message; *sign; sign++)
        if (*sign < ' ' || *sign > '~') /* of a damaged file or a line; no terminal is to obey it */
            *sign = '?';
    return status;
}

static Status tell(const Problem *problem, Status status, char *message)
{
    if (message)
        snprintf(message, TBGEN_MESSAGE, "%s", status == TBGEN_OK ? "" : problem->message);
    return status;
}

/* ---- checksums ---- */

static uint32_t crc32_of(const uint8_t *bytes, uint64_t size)
{
    static const uint32_t table[16] = {/* of four bits */
                                       0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4,
                                       0x4db26158, 0x5005713c, 0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
                                       0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c};
    uint32_t crc = 0xFFFFFFFFu;
    for (uint64_t i = 0; i < size; i++) {
        crc = crc >> 4 ^ table[(crc ^ bytes[i]) & 15];
        crc = crc >> 4 ^ table[(crc ^ bytes[i] >> 4) & 15];
    }
    return ~crc;
}

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

enum { SEAL = 512, ENTRY = 16, MAX_CHUNK_ITEMS = 1 << 16, MAX_INDEX = 1 << 28 };

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
} Dataset;

typedef struct {
    const Dataset *dataset; /* NULL: the slot is empty */
    uint64_t chunk;
    uint8_t *bytes;
} Slot;

typedef struct {
    Slot *slots;
    size_t count;
} Cache;

typedef struct {
    Problem *problem;
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

static Status damaged(const File *file, const char *what)
{
    return fail(file->problem, TBGEN_DAMAGED, "%s: damaged: %s", file->path, what);
}

static Status allocate(Problem *problem, uint64_t bytes, void *into)
{
    void *memory = malloc(bytes ? (size_t)bytes : 1);
    if (!memory)
        return fail(problem, TBGEN_NO_MEMORY, "no memory for %" PRIu64 " bytes", bytes);
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

static Status read_at(const File *file, uint64_t offset, void *into, uint64_t size)
{
    uint8_t *place = into;
    if (offset > file->length || size > file->length - offset)
        return damaged(file, "bytes beyond its end");
    while (size) {
        ssize_t got = pread(file->descriptor, place, (size_t)size, (off_t)offset);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return fail(file->problem, TBGEN_UNREADABLE, "%s: %s", file->path, strerror(errno));
        if (got == 0)
            return damaged(file, "it ends too soon");
        place += got, offset += (uint64_t)got, size -= (uint64_t)got;
    }
    return TBGEN_OK;
}

/* The value of a line of the seal; `line` goes on to the next one. */
static Status sealed(const File *file, const char **line, const char *name, char *value, size_t capacity)
{
    size_t length = strlen(name), size = 0;
    if (!strncmp(*line, name, length) && (*line)[length] == ' ')
        size = strcspn(*line + length + 1, " \n");
    if (size == 0 || size >= capacity)
        return fail(file->problem, TBGEN_DAMAGED, "%s: damaged: its seal has no %s", file->path, name);
    memcpy(value, *line + length + 1, size);
    value[size] = 0;
    *line += length + 1 + size + strspn(*line + length + 1 + size, "\n");
    return TBGEN_OK;
}

static Status sealed_number(const File *file, const char **line, const char *name, uint64_t *number)
{
    char text[24];
    TRY(sealed(file, line, name, text, sizeof text));
    if (strspn(text, "0123456789") != strlen(text) || strlen(text) > 18)
        return fail(file->problem, TBGEN_DAMAGED, "%s: damaged: %s of the seal is no number", file->path, name);
    *number = strtoull(text, NULL, 10);
    return TBGEN_OK;
}

/* -- the JSON of the index -- */

typedef struct {
    const char *at, *end;
    const File *file;
} Json;

static Status unreadable(const Json *json) { return damaged(json->file, "its index is not as expected"); }

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
                    return fail(file->problem, TBGEN_DAMAGED, "%s: its index has other %s than expected: %.60s",
                                file->path, name, value);
                found |= 1u << i;
            }
    } while (accept_sign(json, ','));
    return found == (1u << 5) - 1 ? TBGEN_OK : unreadable(json);
}

static Status read_index(File *file)
{
    uint64_t size = file->length - file->index;
    const uint8_t *line_end = memchr(file->index_bytes, '\n', (size_t)size);
    if (!line_end)
        return damaged(file, "its index is not as expected");
    Json json = {(const char *)file->index_bytes, (const char *)line_end, file};
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
            return fail(file->problem, TBGEN_DAMAGED, "%s: damaged: it has no dataset %s", file->path, layout[i].name);
    file->entries = line_end + 1;
    if (file->entry_count * ENTRY != (uint64_t)(file->index_bytes + size - file->entries))
        return unreadable(&json);
    return TBGEN_OK;
}

/* The seal has no checksum of its own, but only one way to be written. */
static Status check_seal(const File *file, const char *seal, const char *digest_of_index)
{
    char written[SEAL + 1];
    int size = snprintf(written, sizeof written,
                        "tbgen table\nformat 3\ngame r-mobility\nmaterial %s\nlayer %s\nlength %" PRIu64
                        "\nindex %" PRIu64 "\nsha256-of-index %s\nsha256 %s%s%s",
                        file->material, file->layer, file->length, file->index, digest_of_index, file->digest,
                        *file->outcomes ? "\noutcomes " : "", file->outcomes);
    memset(written + size, ' ', SEAL - 1 - (size_t)size);
    written[SEAL - 1] = '\n';
    return memcmp(seal, written, SEAL) ? damaged(file, "its seal is not as it is written") : TBGEN_OK;
}

static Status read_seal(File *file, char *digest_of_index)
{
    char seal[SEAL + 1], text[24];
    const char *line = seal + strlen("tbgen table\n");
    uint64_t real = file->length;
    TRY(read_at(file, 0, seal, SEAL));
    seal[SEAL] = 0;
    if (strncmp(seal, "tbgen table\n", strlen("tbgen table\n")))
        return damaged(file, "it is no table of tbgen");
    TRY(sealed(file, &line, "format", text, sizeof text));
    if (strcmp(text, "3"))
        return fail(file->problem, TBGEN_DAMAGED, "%s: has format %s; this reads format 3", file->path, text);
    TRY(sealed(file, &line, "game", text, sizeof text));
    if (strcmp(text, "r-mobility"))
        return fail(file->problem, TBGEN_DAMAGED, "%s: is of the game %s", file->path, text);
    TRY(sealed(file, &line, "material", file->material, sizeof file->material));
    TRY(sealed(file, &line, "layer", file->layer, sizeof file->layer));
    TRY(sealed_number(file, &line, "length", &file->length));
    TRY(sealed_number(file, &line, "index", &file->index));
    TRY(sealed(file, &line, "sha256-of-index", digest_of_index, 65));
    TRY(sealed(file, &line, "sha256", file->digest, sizeof file->digest));
    if (!strcmp(file->layer, "distances"))
        TRY(sealed(file, &line, "outcomes", file->outcomes, sizeof file->outcomes));
    TRY(check_seal(file, seal, digest_of_index));
    if (real != file->length)
        return fail(file->problem, TBGEN_DAMAGED, "%s: damaged: it has %" PRIu64 " bytes, and its seal says %" PRIu64,
                    file->path, real, file->length);
    if (file->index < SEAL || file->index > file->length || file->length - file->index > MAX_INDEX)
        return damaged(file, "its seal has an index beyond the file");
    return TBGEN_OK;
}

static void close_file(File *file)
{
    if (file->descriptor >= 0)
        close(file->descriptor);
    free(file->index_bytes);
    file->descriptor = -1;
    file->index_bytes = NULL;
}

/* Opening a file checks the seal and the index; chunks are checked when they are read. */
static Status open_file(File *file)
{
    char expected[65], digest[65];
    struct stat facts;
    file->descriptor = open(file->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* no pipe makes it wait */
    if (file->descriptor < 0 || fstat(file->descriptor, &facts))
        return fail(file->problem, errno == ENOENT ? TBGEN_NO_TABLE : TBGEN_UNREADABLE, "%s: %s", file->path,
                    strerror(errno));
    file->length = (uint64_t)facts.st_size;
    TRY(read_seal(file, expected));
    uint64_t size = file->length - file->index;
    TRY(allocate(file->problem, size, &file->index_bytes));
    TRY(read_at(file, file->index, file->index_bytes, size));
    Sha256 sha;
    sha256_begin(&sha);
    sha256_add(&sha, file->index_bytes, size);
    sha256_end(&sha, digest);
    if (strcmp(digest, expected))
        return damaged(file, "its index has another SHA-256");
    return read_index(file);
}

static Status check_every_byte(const File *file)
{
    uint8_t bytes[1 << 14];
    char digest[65];
    Sha256 sha;
    sha256_begin(&sha);
    for (uint64_t at = SEAL; at < file->length;) {
        uint64_t size = file->length - at < sizeof bytes ? file->length - at : sizeof bytes;
        TRY(read_at(file, at, bytes, size));
        sha256_add(&sha, bytes, size);
        at += size;
    }
    sha256_end(&sha, digest);
    return strcmp(digest, file->digest) ? damaged(file, "it has another SHA-256") : TBGEN_OK;
}

static Status bad_chunk(const File *file, const Dataset *dataset, uint64_t chunk, const char *what)
{
    return fail(file->problem, TBGEN_DAMAGED, "%s: damaged: chunk %" PRIu64 " of %s %s", file->path, chunk,
                layout[dataset - file->datasets].name, what);
}

/* The unpacked items of a chunk, in memory that the caller frees. `packed` has room for it. */
static Status unpack_chunk(const File *file, const Dataset *dataset, uint64_t chunk, uint8_t *packed, uint8_t *plain)
{
    const uint8_t *entry = file->entries + ENTRY * (dataset->first_chunk + chunk);
    uint64_t packed_size = little_endian(entry + 8, 4), count = dataset->per_chunk, size = count * dataset->bytes;
    TRY(read_at(file, little_endian(entry, 8), packed, packed_size));
    if (crc32_of(packed, packed_size) != little_endian(entry + 12, 4))
        return bad_chunk(file, dataset, chunk, "has another CRC-32");
    uint8_t *into = dataset->shuffled ? packed + packed_size : plain;
    size_t made = ZSTD_decompress(into, (size_t)size, packed, (size_t)packed_size);
    if (ZSTD_isError(made) || made != size)
        return bad_chunk(file, dataset, chunk, "cannot be unpacked");
    if (dataset->shuffled)
        for (uint64_t i = 0; i < count; i++)
            for (uint64_t byte = 0; byte < dataset->bytes; byte++)
                plain[i * dataset->bytes + byte] = into[byte * count + i];
    return TBGEN_OK;
}

static Status read_chunk(const File *file, const Dataset *dataset, uint64_t chunk, Slot *slot)
{
    uint64_t size = dataset->per_chunk * dataset->bytes;
    uint64_t packed_size = little_endian(file->entries + ENTRY * (dataset->first_chunk + chunk) + 8, 4);
    uint8_t *packed = NULL, *plain = NULL;
    if (packed_size > ZSTD_compressBound((size_t)size))
        return bad_chunk(file, dataset, chunk, "is larger than its items");
    TRY(allocate(file->problem, packed_size + size, &packed));
    Status status = allocate(file->problem, size, &plain);
    if (status == TBGEN_OK && (status = unpack_chunk(file, dataset, chunk, packed, plain)) != TBGEN_OK)
        free(plain);
    free(packed);
    if (status == TBGEN_OK) {
        free(slot->bytes);
        *slot = (Slot){dataset, chunk, plain};
    }
    return status;
}

/* The bytes of an item, which stand until the next item is asked for. */
static Status item_at(const File *file, int number, uint64_t item, const uint8_t **bytes)
{
    const Dataset *dataset = &file->datasets[number];
    if (item >= dataset->items)
        return fail(file->problem, TBGEN_DAMAGED, "%s: damaged: %s has no item %" PRIu64, file->path,
                    layout[number].name, item);
    uint64_t chunk = item / dataset->per_chunk;
    uint64_t hash = ((uint64_t)(uintptr_t)dataset / sizeof *dataset + chunk) * UINT64_C(0x9E3779B97F4A7C15);
    Slot *slot = &file->cache->slots[(hash >> 32) % file->cache->count];
    if (slot->dataset != dataset || slot->chunk != chunk)
        TRY(read_chunk(file, dataset, chunk, slot));
    *bytes = slot->bytes + item % dataset->per_chunk * dataset->bytes;
    return TBGEN_OK;
}

static Status number_at(const File *file, int dataset, uint64_t item, uint64_t *number)
{
    const uint8_t *bytes;
    TRY(item_at(file, dataset, item, &bytes));
    *number = little_endian(bytes, file->datasets[dataset].bytes);
    return TBGEN_OK;
}

/* ---- chess: positions, legal moves, scores ---- */

typedef struct {
    int from, to;
    char promotion; /* in upper case, or 0 */
} Move;

#define PAIRS ".pairs" /* in the name of a table of the placements with an opposed pair of pawns */
enum { MAX_MEN = 8, MAX_MOVES = 256, MAX_NAME = MAX_MEN + 1 + sizeof PAIRS };

static int color_of(char man) { return islower((unsigned char)man) ? BLACK : WHITE; }
static char man_of(int color, char role) { return color == WHITE ? role : (char)tolower((unsigned char)role); }
static bool on_board(int file, int rank) { return file >= 0 && file < 8 && rank >= 0 && rank < 8; }

static const int knight_steps[8][2] = {{1, 2}, {2, 1}, {2, -1}, {1, -2}, {-1, -2}, {-2, -1}, {-2, 1}, {-1, 2}};
static const int king_steps[8][2] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}, {1, 1}, {1, -1}, {-1, 1}, {-1, -1}};

/* Whether a man of that colour and one of the roles is the first on a line from the square. */
static bool seen_along(const Position *position, int square, const int *step, int reach, int color, const char *roles)
{
    int file = square % 8, rank = square / 8;
    while (reach--) {
        file += step[0], rank += step[1];
        if (!on_board(file, rank))
            return false;
        char man = position->squares[8 * rank + file];
        if (man)
            return color_of(man) == color && strchr(roles, toupper((unsigned char)man));
    }
    return false;
}

static bool attacked(const Position *position, int square, int by)
{
    int forward = by == WHITE ? 1 : -1;
    for (int i = 0; i < 8; i++)
        if (seen_along(position, square, knight_steps[i], 1, by, "N") ||
            seen_along(position, square, king_steps[i], 1, by, "K") ||
            seen_along(position, square, king_steps[i], 7, by, i < 4 ? "QR" : "QB"))
            return true;
    return seen_along(position, square, (int[]){-1, -forward}, 1, by, "P") ||
           seen_along(position, square, (int[]){1, -forward}, 1, by, "P");
}

/* Where a man stands that is there once. */
static int square_of(const char *board, char man) { return (int)((const char *)memchr(board, man, 64) - board); }

static bool in_check(const Position *position, int color)
{
    return attacked(position, square_of(position->squares, man_of(color, 'K')), !color);
}

static bool is_en_passant(const Position *position, const Move *move)
{
    return toupper((unsigned char)position->squares[move->from]) == 'P' && move->to == position->en_passant &&
           move->from % 8 != move->to % 8;
}

static bool is_reset(const Position *position, const Move *move)
{
    return position->squares[move->to] || toupper((unsigned char)position->squares[move->from]) == 'P';
}

static Position after(const Position *position, const Move *move)
{
    Position next = *position;
    char man = next.squares[move->from];
    if (is_en_passant(position, move))
        next.squares[move->from / 8 * 8 + move->to % 8] = 0;
    next.squares[move->from] = 0;
    next.squares[move->to] = move->promotion ? man_of(position->to_move, move->promotion) : man;
    next.to_move = !position->to_move;
    next.en_passant = -1;
    if (toupper((unsigned char)man) == 'P' && abs(move->to - move->from) == 16)
        next.en_passant = (move->from + move->to) / 2;
    return next;
}

/* Append a move if it leaves the own king out of check. */
static int add_move(const Position *position, Move *moves, int count, int from, int to)
{
    Move move = {from, to, 0};
    Position next = after(position, &move);
    if (in_check(&next, position->to_move))
        return count;
    bool promotes = toupper((unsigned char)position->squares[from]) == 'P' && (to / 8 == 0 || to / 8 == 7);
    for (const char *role = promotes ? "QRBN" : ""; *role; role++)
        moves[count++] = (Move){from, to, *role};
    if (!promotes)
        moves[count++] = move;
    return count;
}

static int add_steps(const Position *position, Move *moves, int count, int from, const int (*steps)[2], int first,
                     int last, int reach)
{
    for (int i = first; i < last; i++) {
        int file = from % 8, rank = from / 8;
        for (int left = reach; left; left--) {
            file += steps[i][0], rank += steps[i][1];
            if (!on_board(file, rank))
                break;
            char man = position->squares[8 * rank + file];
            if (!man || color_of(man) != position->to_move)
                count = add_move(position, moves, count, from, 8 * rank + file);
            if (man)
                break;
        }
    }
    return count;
}

static int add_pawn_moves(const Position *position, Move *moves, int count, int from)
{
    int forward = position->to_move == WHITE ? 8 : -8, home = position->to_move == WHITE ? 1 : 6;
    if (!position->squares[from + forward]) {
        count = add_move(position, moves, count, from, from + forward);
        if (from / 8 == home && !position->squares[from + 2 * forward])
            count = add_move(position, moves, count, from, from + 2 * forward);
    }
    for (int side = -1; side <= 1; side += 2) {
        int to = from + forward + side;
        if (!on_board(from % 8 + side, 0))
            continue;
        char man = position->squares[to];
        if ((man && color_of(man) != position->to_move) || to == position->en_passant)
            count = add_move(position, moves, count, from, to);
    }
    return count;
}

static int legal_moves(const Position *position, Move *moves)
{
    int count = 0;
    for (int from = 0; from < 64; from++) {
        char man = position->squares[from];
        if (!man || color_of(man) != position->to_move)
            continue;
        switch (toupper((unsigned char)man)) {
        case 'K': count = add_steps(position, moves, count, from, king_steps, 0, 8, 1); break;
        case 'Q': count = add_steps(position, moves, count, from, king_steps, 0, 8, 7); break;
        case 'R': count = add_steps(position, moves, count, from, king_steps, 0, 4, 7); break;
        case 'B': count = add_steps(position, moves, count, from, king_steps, 4, 8, 7); break;
        case 'N': count = add_steps(position, moves, count, from, knight_steps, 0, 8, 1); break;
        case 'P': count = add_pawn_moves(position, moves, count, from); break;
        }
    }
    return count;
}

static Score score_by_moves(const Position *position)
{
    Move moves[MAX_MOVES];
    return (Score){!position->to_move, 2 * legal_moves(position, moves) + !in_check(position, position->to_move)};
}

/* A number that is the higher, the better an outcome is for White. */
static int worth(Score score) { return score.holder == WHITE ? 1000 - score.code : score.code - 1000; }

static bool same_score(Score a, Score b) { return a.holder == b.holder && a.code == b.code; }

static Status check_en_passant(const Position *position, Problem *problem)
{
    int square = position->en_passant, forward = position->to_move == WHITE ? 8 : -8;
    if (square == -1)
        return TBGEN_OK;
    if (square < 0 || square > 63 || square / 8 != (position->to_move == WHITE ? 5 : 2) ||
        position->squares[square] || position->squares[square + forward] ||
        position->squares[square - forward] != man_of(!position->to_move, 'P'))
        return fail(problem, TBGEN_BAD_POSITION, "no pawn can be taken en passant on square %d", square);
    return TBGEN_OK;
}

static Status check_position(const Position *position, Problem *problem)
{
    int men = 0, kings[2] = {0, 0};
    if (position->to_move != WHITE && position->to_move != BLACK)
        return fail(problem, TBGEN_BAD_POSITION, "no side %d can be to move", position->to_move);
    for (int square = 0; square < 64; square++) {
        char man = position->squares[square];
        if (!man)
            continue;
        if (!strchr("KQRBNPkqrbnp", man))
            return fail(problem, TBGEN_BAD_POSITION, "no man is written %c", man);
        if ((man == 'P' || man == 'p') && (square < 8 || square > 55))
            return fail(problem, TBGEN_BAD_POSITION, "a pawn stands on its first or last rank");
        men++;
        kings[color_of(man)] += man == 'K' || man == 'k';
    }
    if (men > MAX_MEN)
        return fail(problem, TBGEN_BAD_POSITION, "there are no tables of %d men", men);
    if (kings[WHITE] != 1 || kings[BLACK] != 1)
        return fail(problem, TBGEN_BAD_POSITION, "a side has %d kings", kings[kings[WHITE] == 1]);
    if (in_check(position, !position->to_move))
        return fail(problem, TBGEN_BAD_POSITION, "the side that is not to move is in check");
    return check_en_passant(position, problem);
}

static Status read_squares(const char *fen, Position *position, Problem *problem)
{
    int file = 0, rank = 7;
    for (; *fen; fen++) {
        if (*fen == '/') {
            if (file != 8 || rank-- == 0)
                return fail(problem, TBGEN_BAD_POSITION, "a rank of the FEN has not eight squares");
            file = 0;
        } else if (*fen >= '1' && *fen <= '8')
            file += *fen - '0';
        else if (strchr("KQRBNPkqrbnp", *fen) && file < 8)
            position->squares[8 * rank + file++] = *fen;
        else
            return fail(problem, TBGEN_BAD_POSITION, "the FEN has a sign that is no man: %c", *fen);
    }
    if (rank || file != 8)
        return fail(problem, TBGEN_BAD_POSITION, "the FEN has not eight ranks of eight squares");
    return TBGEN_OK;
}

static Status position_of_fen(const char *fen, Position *position, Problem *problem)
{
    char squares[100], side[4], castling[8], en_passant[4];
    *position = (Position){{0}, WHITE, -1};
    if (sscanf(fen, " %99s %3s %7s %3s", squares, side, castling, en_passant) != 4)
        return fail(problem, TBGEN_BAD_POSITION, "the FEN has less than four fields");
    TRY(read_squares(squares, position, problem));
    if (strcmp(side, "w") && strcmp(side, "b"))
        return fail(problem, TBGEN_BAD_POSITION, "the side to move is neither w nor b");
    position->to_move = *side == 'w' ? WHITE : BLACK;
    if (strcmp(castling, "-"))
        return fail(problem, TBGEN_BAD_POSITION, "tables know no castling rights");
    if (strcmp(en_passant, "-")) {
        if (en_passant[0] < 'a' || en_passant[0] > 'h' || en_passant[1] < '1' || en_passant[1] > '8' || en_passant[2])
            return fail(problem, TBGEN_BAD_POSITION, "there is no square %s", en_passant);
        position->en_passant = (en_passant[1] - '1') * 8 + en_passant[0] - 'a';
    }
    return check_position(position, problem);
}

/* ---- where a position lies ---- */

typedef struct {
    uint64_t pawns; /* their squares, a byte each */
    uint64_t number;
} Block;

typedef struct {
    char name[16];
    bool has_distances;
    int pawns, men; /* men beside the white king and the pawns, the black king included */
    uint64_t block_count;
    Block *blocks; /* in the order of their pawns; NULL without pawns */
    File outcomes, distances;
} Table;

static const char piece_order[] = "QRBNqrbnk"; /* the men after the white king, in the order of the axes from the end */

static int mirrored_files(int square) { return square ^ 7; }
static int mirrored_ranks(int square) { return square ^ 56; }
static int mirrored_diagonal(int square) { return square % 8 * 8 + square / 8; }

static void transform(char *board, int (*image)(int))
{
    char from[64];
    memcpy(from, board, 64);
    for (int square = 0; square < 64; square++)
        board[image(square)] = from[square];
}

/* The squares of a man, ascending; by files first if wanted. Returns how many. */
static int squares_of(const char *board, char man, bool by_files, int *squares)
{
    int count = 0;
    for (int i = 0; i < 64; i++) {
        int square = by_files ? mirrored_diagonal(i) : i;
        if (board[square] == man && count < MAX_MEN)
            squares[count++] = square;
    }
    return count;
}

/* White's pawns, then Black's, each by files, then ranks. */
static int pawns_of(const char *board, int *squares)
{
    int white = squares_of(board, 'P', true, squares);
    return white + squares_of(board, 'p', true, squares + white);
}

/* The men beside the white king and the pawns. */
static int pieces_of(const char *board, int *squares)
{
    int count = 0;
    for (const char *man = piece_order; *man; man++)
        count += squares_of(board, *man, false, squares + count);
    return count;
}

/* Below 0 where the first list comes first. */
static int compare(const int *a, const int *b, int count, bool by_files)
{
    for (int i = 0; i < count; i++)
        if (a[i] != b[i])
            return by_files ? mirrored_diagonal(a[i]) - mirrored_diagonal(b[i]) : a[i] - b[i];
    return 0;
}

static void turn_without_pawns(char *board)
{
    int king = square_of(board, 'K');
    if (king % 8 > 3)
        transform(board, mirrored_files);
    if (king / 8 > 3)
        transform(board, mirrored_ranks);
    king = square_of(board, 'K');
    if (king / 8 > king % 8)
        transform(board, mirrored_diagonal);
    if (king / 8 == king % 8) {
        int squares[64], images[64];
        char other[64];
        memcpy(other, board, 64);
        transform(other, mirrored_diagonal);
        int count = pieces_of(board, squares);
        pieces_of(other, images);
        if (compare(images, squares, count, false) < 0)
            memcpy(board, other, 64);
    }
}

static void turn_with_pawns(char *board)
{
    int squares[64], images[64];
    char other[64];
    memcpy(other, board, 64);
    transform(other, mirrored_files);
    int count = pawns_of(board, squares);
    pawns_of(other, images);
    int order = compare(images, squares, count, true);
    int king = square_of(board, 'K');
    if (order < 0 || (order == 0 && king % 8 > 3))
        memcpy(board, other, 64);
}

static uint64_t packed_squares(const int *squares, int count)
{
    uint64_t packed = 0;
    while (count--)
        packed = packed << 8 | (uint64_t)squares[count];
    return packed;
}

static int by_pawns(const void *a, const void *b)
{
    const Block *first = a, *second = b;
    return first->pawns < second->pawns ? -1 : first->pawns > second->pawns;
}

/* The number of a position among the places of a table; White is the stronger side. */
static Status place_of(const Table *table, char *board, int to_move, uint64_t *place)
{
    static const int triangle[10] = {0, 1, 2, 3, 9, 10, 11, 18, 19, 27};
    int pawns[64], pieces[64];
    Block here = {0, 0};
    if (table->pawns) {
        turn_with_pawns(board);
        here.pawns = packed_squares(pawns, pawns_of(board, pawns));
        const Block *found = bsearch(&here, table->blocks, (size_t)table->block_count, sizeof *found, by_pawns);
        if (!found)
            return damaged(&table->outcomes, "it has no block of these pawns");
        here = *found;
    } else
        turn_without_pawns(board);
    *place = 2 * here.number + (uint64_t)to_move;
    for (int count = pieces_of(board, pieces); count--;)
        *place = 64 * *place + (uint64_t)pieces[count];
    int king = square_of(board, 'K'), number = 0;
    while (!table->pawns && triangle[number] != king) /* a symmetry has brought it into the triangle */
        number++;
    *place = table->pawns ? 64 * *place + (uint64_t)king : 10 * *place + (uint64_t)number;
    return TBGEN_OK;
}

/* ---- tables of a folder ---- */

enum { MAX_BLOCKS = 1 << 24 };

typedef struct Opened {
    Status status;
    Problem problem; /* why the table cannot be asked */
    Table table;
    struct Opened *next;
} Opened;

struct tbgen_tables {
    pthread_mutex_t lock;
    char *folder;
    Cache cache;
    Opened *opened;
    Problem problem;
};

static void name_of(const char *board, const char *first, const char *second, char *name)
{
    for (const char *side = first; side; side = side == first ? second : NULL) {
        for (const char *man = side; *man; man++)
            for (int square = 0; square < 64; square++)
                if (board[square] == *man)
                    *name++ = (char)toupper((unsigned char)*man);
        if (side == first)
            *name++ = 'v';
    }
    *name = 0;
}

static Status check_size(const Table *table, const File *file, int dataset)
{
    uint64_t places = 2 * table->block_count * (table->pawns ? 64 : 10);
    for (int i = 0; i < table->men; i++)
        places *= 64;
    return file->datasets[dataset].items == places ? TBGEN_OK : damaged(file, "it has not an item for each place");
}

static Status read_blocks(Table *table)
{
    const File *file = &table->outcomes;
    uint64_t squares = file->datasets[BLOCK_SQUARES].items;
    table->block_count = table->pawns ? squares / (uint64_t)table->pawns : 1;
    if (table->block_count > MAX_BLOCKS || (table->pawns && squares % (uint64_t)table->pawns))
        return damaged(file, "its blocks cannot be those of its pawns");
    if (!table->pawns)
        return TBGEN_OK;
    TRY(allocate(file->problem, table->block_count * sizeof *table->blocks, &table->blocks));
    for (uint64_t block = 0; block < table->block_count; block++) {
        int pawns[MAX_MEN];
        for (int i = 0; i < table->pawns; i++) {
            uint64_t square;
            TRY(number_at(file, BLOCK_SQUARES, block * (uint64_t)table->pawns + (uint64_t)i, &square));
            pawns[i] = (int)square;
        }
        table->blocks[block] = (Block){packed_squares(pawns, table->pawns), block};
    }
    qsort(table->blocks, (size_t)table->block_count, sizeof *table->blocks, by_pawns);
    return TBGEN_OK;
}

static Status open_layer(File *file, const tbgen_tables *tables, const Table *table, const char *layer,
                         const char *ending)
{
    int size = snprintf(file->path, sizeof file->path, "%s/%s%s", tables->folder, table->name, ending);
    if (size < 0 || (size_t)size >= sizeof file->path)
        return fail(file->problem, TBGEN_UNREADABLE, "the name of the folder is too long");
    TRY(open_file(file));
    if (strcmp(file->material, table->name) || strcmp(file->layer, layer))
        return damaged(file, "it is not what its name says");
    return TBGEN_OK;
}

static Status open_table(const tbgen_tables *tables, Table *table)
{
    File *outcomes = &table->outcomes, *distances = &table->distances;
    for (const char *man = table->name + 1; *man && *man != '.'; man++)
        *(*man == 'P' ? &table->pawns : &table->men) += *man != 'v';
    TRY(open_layer(outcomes, tables, table, "outcomes", ".h5"));
    TRY(read_blocks(table));
    TRY(check_size(table, outcomes, SYMBOL));
    Status status = open_layer(distances, tables, table, "distances", ".dtg.h5");
    if (status == TBGEN_NO_TABLE)
        return TBGEN_OK;
    TRY(status);
    if (strcmp(outcomes->digest, distances->outcomes))
        return damaged(distances, "it belongs to other outcomes");
    TRY(check_size(table, distances, DTG));
    TRY(check_size(table, distances, DETAIL));
    table->has_distances = true;
    return TBGEN_OK;
}

static void close_table(Table *table)
{
    close_file(&table->outcomes);
    close_file(&table->distances);
    free(table->blocks);
    table->blocks = NULL;
}

/* A table that is missing or damaged is not tried again: every question to it gets the same answer. */
static Status table_of(tbgen_tables *tables, const char *name, const Table **table)
{
    Opened *entry = tables->opened;
    while (entry && strcmp(entry->table.name, name))
        entry = entry->next;
    if (!entry) {
        TRY(allocate(&tables->problem, sizeof *entry, &entry));
        memset(entry, 0, sizeof *entry);
        strcpy(entry->table.name, name);
        entry->table.outcomes.problem = entry->table.distances.problem = &tables->problem;
        entry->table.outcomes.cache = entry->table.distances.cache = &tables->cache;
        entry->table.outcomes.descriptor = entry->table.distances.descriptor = -1;
        entry->status = open_table(tables, &entry->table);
        entry->problem = tables->problem;
        if (entry->status != TBGEN_OK)
            close_table(&entry->table);
        if (entry->status == TBGEN_UNREADABLE || entry->status == TBGEN_NO_MEMORY) {
            Status status = entry->status;
            free(entry);
            return status;
        }
        entry->next = tables->opened;
        tables->opened = entry;
    }
    *table = &entry->table;
    tables->problem = entry->problem;
    return entry->status;
}

/* ---- the value of a position ---- */

static Status score_of(const File *file, uint8_t byte, Score *score)
{
    int outcome = byte < 128 ? byte : byte - 256;
    if (outcome == 0)
        return damaged(file, "it has an outcome that is none");
    *score = outcome > 0 ? (Score){WHITE, outcome - 1} : (Score){BLACK, -outcome - 1};
    return TBGEN_OK;
}

typedef struct {
    bool found;
    Score outcome;
    int plies;
} Row;

/* The last of some rows that has the accrued holder and a code of at most the accrued one. */
static Status find_row(const File *file, int dataset, uint64_t first, uint64_t count, Score accrued, Row *row)
{
    const uint8_t *bytes; /* holder, code, outcome; and in a file of distances the plies */
    row->found = false;
    while (count--) {
        TRY(item_at(file, dataset, first + count, &bytes));
        if (bytes[0] != accrued.holder || bytes[1] > accrued.code)
            continue;
        row->found = true;
        row->plies = dataset == ROWS ? (int)little_endian(bytes + 3, 2) : -1;
        return score_of(file, bytes[2], &row->outcome);
    }
    return TBGEN_OK;
}

/* The distance of what a hold breaks into. */
static Status break_plies(const Table *table, uint64_t place, uint64_t symbol, int plies_of_entry, Score accrued,
                          Value *value)
{
    const File *file = &table->distances;
    uint64_t group, state, detail;
    const uint8_t *bytes;
    Row row;
    TRY(number_at(file, SYMBOL_GROUPS, symbol, &group));
    TRY(number_at(file, GROUP_STATES, group + (uint64_t)plies_of_entry, &state));
    TRY(number_at(file, DETAIL, place, &detail));
    TRY(item_at(file, STATES, state + detail, &bytes));
    TRY(find_row(file, ROWS, little_endian(bytes, 4), bytes[4], accrued, &row));
    if (!row.found || !same_score(row.outcome, value->outcome))
        return damaged(file, "its distances have another outcome than its outcomes");
    value->plies = row.plies;
    return TBGEN_OK;
}

static Status entry_plies(const Table *table, uint64_t place, Score entry, int to_move, int *plies)
{
    uint64_t stored;
    *plies = -1;
    if (!table->has_distances)
        return TBGEN_OK;
    TRY(number_at(&table->distances, DTG, place, &stored));
    if (stored > UINT16_MAX)
        return damaged(&table->distances, "it has a distance that is too long");
    *plies = (int)(to_move == entry.holder ? stored ^ 1 : stored);
    return TBGEN_OK;
}

/* The value of a place, White being the stronger side. */
static Status look_up(const Table *table, uint64_t place, int to_move, Score own, Score accrued, Value *value)
{
    const File *file = &table->outcomes;
    const uint8_t *bytes;
    uint64_t symbol;
    int plies;
    Score entry;
    Row row;
    TRY(number_at(file, SYMBOL, place, &symbol));
    TRY(item_at(file, SYMBOLS, symbol, &bytes));
    uint64_t first = little_endian(bytes + 1, 4), rows = bytes[5];
    TRY(score_of(file, bytes[0], &entry));
    TRY(entry_plies(table, place, entry, to_move, &plies));
    *value = (Value){entry, plies};
    if (same_score(accrued, own) || entry.code < accrued.code)
        return TBGEN_OK;
    TRY(find_row(file, OUTCOME_ROWS, first, rows, accrued, &row));
    int gain = row.found ? worth(row.outcome) - worth(accrued) : 0;
    *value = (Value){accrued, 0};
    if (accrued.holder == WHITE ? gain >= 0 : gain <= 0)
        return TBGEN_OK;
    *value = (Value){row.outcome, -1};
    return plies < 0 ? TBGEN_OK : break_plies(table, place, symbol, plies, accrued, value);
}

/* Whether a white pawn stands below a black one on the same file. */
static bool has_opposed_pair(const char *board)
{
    for (int file = 0; file < 8; file++) {
        bool white = false;
        for (int square = file + 8; square < 56; square += 8) {
            white = white || board[square] == 'P';
            if (white && board[square] == 'p')
                return true;
        }
    }
    return false;
}

/* The table of a position, perhaps with the colours exchanged: a whole one, or one of opposed pairs alone. */
static Status table_for(tbgen_tables *tables, const Position *position, const Table **table, bool *exchanged)
{
    char name[MAX_NAME], other[MAX_NAME];
    name_of(position->squares, "KQRBNP", "kqrbnp", name);
    name_of(position->squares, "kqrbnp", "KQRBNP", other);
    int scopes = has_opposed_pair(position->squares) ? 2 : 1;
    for (int scope = 0; scope < scopes; scope++) {
        if (scope == 1) {
            strcat(name, PAIRS);
            strcat(other, PAIRS);
        }
        *exchanged = false;
        Status status = table_of(tables, name, table);
        if (status == TBGEN_NO_TABLE && strcmp(name, other)) {
            *exchanged = true;
            status = table_of(tables, other, table);
        }
        if (status != TBGEN_NO_TABLE)
            return status;
    }
    return fail(&tables->problem, TBGEN_NO_TABLE, "there is no table of %s", name);
}

static Status value_in_table(tbgen_tables *tables, const Position *position, Score own, Score accrued, Value *value)
{
    char board[64];
    const Table *table;
    bool exchanged;
    uint64_t place = 0;
    TRY(table_for(tables, position, &table, &exchanged));
    memcpy(board, position->squares, 64);
    if (exchanged) {
        transform(board, mirrored_ranks);
        for (int square = 0; square < 64; square++)
            if (board[square])
                board[square] = man_of(!color_of(board[square]), (char)toupper((unsigned char)board[square]));
        own.holder ^= 1, accrued.holder ^= 1;
    }
    int to_move = position->to_move ^ (int)exchanged;
    TRY(place_of(table, board, to_move, &place));
    TRY(look_up(table, place, to_move, own, accrued, value));
    value->outcome.holder ^= (int)exchanged;
    return TBGEN_OK;
}

static Status value_of(tbgen_tables *tables, const Position *position, Score accrued, Value *value);

/* The value of a position after a move, with the plies of this one. */
static Status value_of_move(tbgen_tables *tables, const Position *position, const Move *move, Score accrued,
                            Value *value)
{
    Position next = after(position, move);
    Score own = score_by_moves(&next);
    bool replaced = is_reset(position, move) || own.code < accrued.code;
    TRY(value_of(tables, &next, replaced ? own : accrued, value));
    value->plies += value->plies >= 0;
    return TBGEN_OK;
}

/* A position with a legal capture en passant is in no table: its value is that of its best move. */
static Status value_by_search(tbgen_tables *tables, const Position *position, const Move *moves, int count,
                              Score accrued, Value *best)
{
    int sign = position->to_move == WHITE ? 1 : -1;
    TRY(value_of_move(tables, position, &moves[0], accrued, best));
    for (int i = 1; i < count; i++) {
        Value value;
        TRY(value_of_move(tables, position, &moves[i], accrued, &value));
        int gain = sign * (worth(value.outcome) - worth(best->outcome));
        bool progress = sign * (worth(value.outcome) - worth(accrued)) > 0;
        if (gain > 0 || (gain == 0 && (progress ? value.plies < best->plies : value.plies > best->plies)))
            *best = value;
    }
    if (same_score(best->outcome, accrued))
        best->plies = 0;
    return TBGEN_OK;
}

/* No game can carry such a score: it would have ended, or a king alone would have given check or had nine moves. */
static Status check_accrued(const Position *position, Score accrued, Problem *problem)
{
    int men[2] = {0, 0};
    for (int square = 0; square < 64; square++)
        if (position->squares[square])
            men[color_of(position->squares[square])]++;
    bool side = accrued.holder == WHITE || accrued.holder == BLACK;
    if (!side || accrued.code < 2 || (men[accrued.holder] == 1 && accrued.code % 2 == 0) ||
        (men[!accrued.holder] == 1 && accrued.code > 17))
        return fail(problem, TBGEN_BAD_SCORE, "no game can carry this accrued score");
    return TBGEN_OK;
}

/* Improvements are made first: an accrued score is never worse than the own one. */
static Status value_of(tbgen_tables *tables, const Position *position, Score accrued, Value *value)
{
    Move moves[MAX_MOVES];
    int count = legal_moves(position, moves);
    Score own = {!position->to_move, 2 * count + !in_check(position, position->to_move)};
    if (own.code < accrued.code)
        accrued = own;
    for (int i = 0; i < count; i++)
        if (is_en_passant(position, &moves[i]))
            return value_by_search(tables, position, moves, count, accrued, value);
    return value_in_table(tables, position, own, accrued, value);
}

/* ---- the public functions ---- */

tbgen_tables *tbgen_open(const char *folder, size_t chunks)
{
    tbgen_tables *tables = calloc(1, sizeof *tables);
    if (!tables)
        return NULL;
    tables->cache.count = chunks ? chunks : 1;
    tables->cache.slots = calloc(tables->cache.count, sizeof *tables->cache.slots);
    tables->folder = malloc(strlen(folder) + 1);
    if (!tables->cache.slots || !tables->folder || pthread_mutex_init(&tables->lock, NULL)) {
        free(tables->cache.slots);
        free(tables->folder);
        free(tables);
        return NULL;
    }
    strcpy(tables->folder, folder);
    return tables;
}

void tbgen_close(tbgen_tables *tables)
{
    if (!tables)
        return;
    while (tables->opened) {
        Opened *entry = tables->opened;
        tables->opened = entry->next;
        close_table(&entry->table);
        free(entry);
    }
    for (size_t i = 0; i < tables->cache.count; i++)
        free(tables->cache.slots[i].bytes);
    pthread_mutex_destroy(&tables->lock);
    free(tables->cache.slots);
    free(tables->folder);
    free(tables);
}

static Status probe(tbgen_tables *tables, const Position *position, Score accrued, Value *value)
{
    TRY(check_position(position, &tables->problem));
    if (!same_score(accrued, score_by_moves(position)))
        TRY(check_accrued(position, accrued, &tables->problem));
    return value_of(tables, position, accrued, value);
}

Status tbgen_probe(tbgen_tables *tables, const Position *position, Score accrued, Value *value, char *message)
{
    pthread_mutex_lock(&tables->lock);
    Status status = tell(&tables->problem, probe(tables, position, accrued, value), message);
    pthread_mutex_unlock(&tables->lock);
    return status;
}

Status tbgen_own_score(const Position *position, Score *own, char *message)
{
    Problem problem;
    Status status = check_position(position, &problem);
    if (status == TBGEN_OK)
        *own = score_by_moves(position);
    return tell(&problem, status, message);
}

Status tbgen_read_fen(const char *fen, Position *position, char *message)
{
    Problem problem;
    return tell(&problem, position_of_fen(fen, position, &problem), message);
}

Status tbgen_read_score(const char *text, Score *score, char *message)
{
    Problem problem;
    bool black = *text == '-' || *text == 'm';
    const char *at = text + black;
    char *end;
    unsigned long whole = 0;
    if ((*at != 'G' && *at != 'g') || !isdigit((unsigned char)at[1]) || (whole = strtoul(at + 1, &end, 10)) > 200 ||
        end[0] != '.' || (end[1] != '0' && end[1] != '5') || end[2])
        return tell(&problem, fail(&problem, TBGEN_BAD_SCORE, "no accrued score: %s", text), message);
    *score = (Score){black ? BLACK : WHITE, (int)(2 * whole) + (end[1] == '5')};
    return tell(&problem, TBGEN_OK, message);
}

Status tbgen_verify_file(const char *path, char *message)
{
    Problem problem;
    File file = {.problem = &problem, .descriptor = -1};
    if (strlen(path) >= sizeof file.path)
        return tell(&problem, fail(&problem, TBGEN_UNREADABLE, "the name of the file is too long"), message);
    strcpy(file.path, path);
    Status status = open_file(&file);
    if (status == TBGEN_OK)
        status = check_every_byte(&file);
    close_file(&file);
    return tell(&problem, status, message);
}
