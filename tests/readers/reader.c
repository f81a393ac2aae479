/*
 * A reader of tbgen's tables (format 3), written from docs/tables.md and docs/rules.md alone.
 *
 *     cc -std=c99 -O2 -o reader reader.c -lzstd
 *     reader FOLDER            answers each line `FEN;accrued` of standard input with `outcome;plies`
 *     reader --verify FILE...  checks every byte of the files
 *
 * The accrued score is `G3.5` or `-G3.5`; an empty one means the position's own. The clocks of the FEN play no part.
 * Where the folder has no distances, plies are `?`. A line that has no answer gets `error: ` and the reason instead,
 * and the exit status is then 1. The program shares no code with tbgen, knows no HDF5 and needs libzstd alone.
 */
#include <ctype.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

enum { WHITE, BLACK };

/* ---- errors: whatever goes wrong ends the line at hand with a message, and no value ---- */

static char complaint[600];
static jmp_buf line_at_hand;

static void fail(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(complaint, sizeof complaint, format, arguments);
    va_end(arguments);
    for (char *sign = complaint; *sign; sign++)
        if (*sign < ' ' || *sign > '~') /* of a damaged file or a line; no terminal is to obey it */
            *sign = '?';
    longjmp(line_at_hand, 1);
}

static void *allocate(uint64_t bytes)
{
    void *memory = malloc(bytes ? bytes : 1);
    if (!memory)
        fail("no memory for %" PRIu64 " bytes", bytes);
    return memory;
}

/* ---- checksums ---- */

static uint32_t crc32_of(const uint8_t *bytes, uint64_t size)
{
    static uint32_t table[256]; /* of single bytes; filled at the first call */
    for (uint32_t byte = 0; byte < 256 && !table[255]; byte++) {
        table[byte] = byte;
        for (int bit = 0; bit < 8; bit++)
            table[byte] = table[byte] >> 1 ^ (table[byte] & 1 ? 0xEDB88320u : 0);
    }
    uint32_t crc = 0xFFFFFFFFu;
    for (uint64_t i = 0; i < size; i++)
        crc = crc >> 8 ^ table[(crc ^ bytes[i]) & 255];
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

enum { SEAL = 512, ENTRY = 16, MAX_FIELDS = 8, MAX_DATASETS = 16 };

typedef struct {
    char name[24];
    bool is_signed;
    int offset, size;
} Field;

typedef struct {
    char name[32];
    Field fields[MAX_FIELDS]; /* one without a name where an item is a number */
    int field_count, item_size;
    uint64_t items, per_chunk, chunks, first_chunk;
    bool shuffled;
    int64_t held; /* the chunk that `bytes` has, or -1 */
    uint8_t *bytes;
} Dataset;

typedef struct {
    char path[400];
    FILE *stream;
    char material[16], layer[16], digest[65], outcomes[65]; /* of the seal */
    uint64_t length, index;
    uint8_t *index_bytes;
    const uint8_t *entries;
    uint64_t entry_count;
    Dataset datasets[MAX_DATASETS];
    int dataset_count;
} File;

static uint64_t little_endian(const uint8_t *bytes, int size)
{
    uint64_t number = 0;
    while (size--)
        number = number << 8 | bytes[size];
    return number;
}

static void read_at(File *file, uint64_t offset, uint8_t *into, uint64_t size)
{
    if (offset > file->length || size > file->length - offset)
        fail("%s: damaged: bytes beyond its end", file->path);
    if (fseek(file->stream, (long)offset, SEEK_SET) || fread(into, 1, size, file->stream) != size)
        fail("%s: cannot be read", file->path);
}

/* The value of a line of the seal; `line` goes on to the next one. */
static void sealed(const File *file, const char **line, const char *name, char *value, size_t capacity)
{
    size_t length = strlen(name), size = 0;
    if (!strncmp(*line, name, length) && (*line)[length] == ' ')
        size = strcspn(*line + length + 1, " \n");
    if (size == 0 || size >= capacity)
        fail("%s: damaged: its seal has no %s", file->path, name);
    memcpy(value, *line + length + 1, size);
    value[size] = 0;
    *line += length + 1 + size + strspn(*line + length + 1 + size, "\n");
}

static uint64_t sealed_number(const File *file, const char **line, const char *name)
{
    char text[24];
    sealed(file, line, name, text, sizeof text);
    if (strspn(text, "0123456789") != strlen(text) || strlen(text) > 18)
        fail("%s: damaged: %s of the seal is no number", file->path, name);
    return strtoull(text, NULL, 10);
}

/* -- the JSON of the index -- */

typedef struct {
    const char *at, *end;
    const File *file;
} Json;

static void unreadable(const Json *json) { fail("%s: its index is not as expected", json->file->path); }

static char next_sign(Json *json)
{
    while (json->at < json->end && isspace((unsigned char)*json->at))
        json->at++;
    if (json->at == json->end)
        unreadable(json);
    return *json->at;
}

static bool accept_sign(Json *json, char sign)
{
    if (next_sign(json) != sign)
        return false;
    json->at++;
    return true;
}

static void expect(Json *json, char sign)
{
    if (!accept_sign(json, sign))
        unreadable(json);
}

static void read_string(Json *json, char *into, size_t capacity)
{
    expect(json, '"');
    for (size_t i = 0;; json->at++) {
        if (json->at == json->end || i == capacity)
            unreadable(json);
        if (*json->at == '"') {
            into[i] = 0;
            break;
        }
        if (*json->at == '\\' && ++json->at == json->end)
            unreadable(json);
        into[i++] = *json->at;
    }
    json->at++;
}

static uint64_t read_number(Json *json)
{
    uint64_t number = 0;
    if (!isdigit((unsigned char)next_sign(json)))
        unreadable(json);
    while (json->at < json->end && isdigit((unsigned char)*json->at))
        number = number * 10 + (uint64_t)(*json->at++ - '0');
    return number;
}

static bool read_truth(Json *json)
{
    bool truth = next_sign(json) == 't';
    const char *word = truth ? "true" : "false";
    if ((size_t)(json->end - json->at) < strlen(word) || strncmp(json->at, word, strlen(word)))
        unreadable(json);
    json->at += strlen(word);
    return truth;
}

static void read_field(Json *json, Dataset *dataset, const char *name)
{
    char type[8], *end;
    if (dataset->field_count == MAX_FIELDS || strlen(name) >= sizeof dataset->fields->name)
        unreadable(json);
    read_string(json, type, sizeof type);
    if (strlen(type) < 3)
        unreadable(json);
    Field *field = &dataset->fields[dataset->field_count++];
    strcpy(field->name, name);
    field->is_signed = type[1] == 'i';
    field->offset = dataset->item_size;
    field->size = (int)strtol(type + 2, &end, 10);
    if (!strchr("|<", type[0]) || !strchr("uiS", type[1]) || *end || field->size < 1)
        unreadable(json);
    dataset->item_size += field->size;
}

static void read_dataset(Json *json, Dataset *dataset)
{
    read_string(json, dataset->name, sizeof dataset->name);
    expect(json, ':');
    expect(json, '[');
    if (accept_sign(json, '[')) {
        do {
            char name[24];
            expect(json, '[');
            read_string(json, name, sizeof name);
            expect(json, ',');
            read_field(json, dataset, name);
            expect(json, ']');
        } while (accept_sign(json, ','));
        expect(json, ']');
    } else
        read_field(json, dataset, "");
    expect(json, ',');
    dataset->items = read_number(json);
    expect(json, ',');
    dataset->per_chunk = read_number(json);
    expect(json, ',');
    dataset->shuffled = read_truth(json);
    expect(json, ',');
    dataset->chunks = read_number(json);
    expect(json, ']');
    dataset->held = -1;
    if (dataset->per_chunk == 0 || dataset->chunks != (dataset->items + dataset->per_chunk - 1) / dataset->per_chunk)
        unreadable(json);
}

/* Attributes repeat the seal, and say which rules values follow; a file with others is refused. */
static void read_attributes(Json *json)
{
    const File *file = json->file;
    const char *same[][2] = {{"game", "r-mobility"},     {"rules", "r-mobility 1"},     {"material", file->material},
                             {"layer", file->layer}, {"outcomes", file->outcomes}};
    unsigned found = *file->outcomes ? 0 : 1u << 4;
    do {
        char name[24], value[400];
        read_string(json, name, sizeof name);
        expect(json, ':');
        read_string(json, value, sizeof value);
        for (unsigned i = 0; i < 5; i++)
            if (!strcmp(name, same[i][0])) {
                if (strcmp(value, same[i][1]))
                    fail("%s: its index has other %s than expected: %s", file->path, name, value);
                found |= 1u << i;
            }
    } while (accept_sign(json, ','));
    if (found != (1u << 5) - 1)
        unreadable(json);
}

static void read_index(File *file)
{
    uint64_t size = file->length - file->index;
    const uint8_t *line_end = memchr(file->index_bytes, '\n', size);
    if (!line_end)
        fail("%s: its index is not as expected", file->path);
    Json json = {(const char *)file->index_bytes, (const char *)line_end, file};
    expect(&json, '{');
    do {
        char name[16];
        read_string(&json, name, sizeof name);
        expect(&json, ':');
        expect(&json, '{');
        if (!strcmp(name, "attributes"))
            read_attributes(&json);
        else if (!strcmp(name, "datasets"))
            do {
                if (file->dataset_count == MAX_DATASETS)
                    unreadable(&json);
                Dataset *dataset = &file->datasets[file->dataset_count++];
                read_dataset(&json, dataset);
                dataset->first_chunk = file->entry_count;
                file->entry_count += dataset->chunks;
            } while (accept_sign(&json, ','));
        else
            unreadable(&json);
        expect(&json, '}');
    } while (accept_sign(&json, ','));
    expect(&json, '}');
    file->entries = line_end + 1;
    if (file->entry_count * ENTRY != (uint64_t)(file->index_bytes + size - file->entries))
        unreadable(&json);
}

static void check_digest(const File *file, const char *digest, const char *expected, const char *what)
{
    if (strcmp(digest, expected))
        fail("%s: damaged: %s has another SHA-256", file->path, what);
}

/* The seal has no checksum of its own, but only one way to be written. */
static void check_seal(const File *file, const char *seal, const char *digest_of_index)
{
    char written[SEAL + 1];
    int size = snprintf(written, sizeof written,
                        "tbgen table\nformat 3\ngame r-mobility\nmaterial %s\nlayer %s\nlength %" PRIu64
                        "\nindex %" PRIu64 "\nsha256-of-index %s\nsha256 %s%s%s",
                        file->material, file->layer, file->length, file->index, digest_of_index, file->digest,
                        *file->outcomes ? "\noutcomes " : "", file->outcomes);
    memset(written + size, ' ', SEAL - 1 - (size_t)size);
    written[SEAL - 1] = '\n';
    if (memcmp(seal, written, SEAL))
        fail("%s: damaged: its seal is not as it is written", file->path);
}

static void read_seal(File *file, char *digest_of_index)
{
    char seal[SEAL + 1], text[24];
    const char *line = seal + strlen("tbgen table\n");
    file->length = SEAL; /* until the seal has said it */
    read_at(file, 0, (uint8_t *)seal, SEAL);
    seal[SEAL] = 0;
    if (strncmp(seal, "tbgen table\n", strlen("tbgen table\n")))
        fail("%s: is no table of tbgen", file->path);
    sealed(file, &line, "format", text, sizeof text);
    if (strcmp(text, "3"))
        fail("%s: has format %s, and only 3 can be read", file->path, text);
    sealed(file, &line, "game", text, sizeof text);
    if (strcmp(text, "r-mobility"))
        fail("%s: is of the game %s", file->path, text);
    sealed(file, &line, "material", file->material, sizeof file->material);
    sealed(file, &line, "layer", file->layer, sizeof file->layer);
    file->length = sealed_number(file, &line, "length");
    file->index = sealed_number(file, &line, "index");
    sealed(file, &line, "sha256-of-index", digest_of_index, 65);
    sealed(file, &line, "sha256", file->digest, sizeof file->digest);
    if (!strcmp(file->layer, "distances"))
        sealed(file, &line, "outcomes", file->outcomes, sizeof file->outcomes);
    check_seal(file, seal, digest_of_index);
    fseek(file->stream, 0, SEEK_END);
    if ((uint64_t)ftell(file->stream) != file->length)
        fail("%s: damaged: it has %ld bytes, and its seal says %" PRIu64, file->path, ftell(file->stream),
             file->length);
    if (file->index < SEAL || file->index > file->length)
        fail("%s: damaged: its seal has an index beyond the file", file->path);
}

/* Opening a file checks the seal and the index; chunks are checked when they are read. */
static void open_file(File *file)
{
    char expected[65], digest[65];
    file->stream = fopen(file->path, "rb");
    if (!file->stream)
        fail("%s: cannot be opened", file->path);
    read_seal(file, expected);
    uint64_t size = file->length - file->index;
    file->index_bytes = allocate(size);
    read_at(file, file->index, file->index_bytes, size);
    Sha256 sha;
    sha256_begin(&sha);
    sha256_add(&sha, file->index_bytes, size);
    sha256_end(&sha, digest);
    check_digest(file, digest, expected, "its index");
    read_index(file);
}

static void close_file(File *file)
{
    if (file->stream)
        fclose(file->stream);
    free(file->index_bytes);
    for (int i = 0; i < file->dataset_count; i++)
        free(file->datasets[i].bytes);
}

static void check_every_byte(File *file)
{
    uint8_t bytes[1 << 16];
    char digest[65];
    Sha256 sha;
    sha256_begin(&sha);
    for (uint64_t at = SEAL; at < file->length;) {
        uint64_t size = file->length - at < sizeof bytes ? file->length - at : sizeof bytes;
        read_at(file, at, bytes, size);
        sha256_add(&sha, bytes, size);
        at += size;
    }
    sha256_end(&sha, digest);
    check_digest(file, digest, file->digest, "it");
}

static Dataset *dataset_of(File *file, const char *name)
{
    for (int i = 0; i < file->dataset_count; i++)
        if (!strcmp(file->datasets[i].name, name))
            return &file->datasets[i];
    fail("%s: has no dataset %s", file->path, name);
    return NULL;
}

static void read_chunk(File *file, Dataset *dataset, uint64_t chunk)
{
    const uint8_t *entry = file->entries + ENTRY * (dataset->first_chunk + chunk);
    uint64_t offset = little_endian(entry, 8), packed_size = little_endian(entry + 8, 4);
    uint64_t count = dataset->per_chunk, item = (uint64_t)dataset->item_size, size = count * item;
    uint8_t *packed = allocate(packed_size), *plain = allocate(size);
    read_at(file, offset, packed, packed_size);
    if (crc32_of(packed, packed_size) != little_endian(entry + 12, 4))
        fail("%s: damaged: chunk %" PRIu64 " of %s has another CRC-32", file->path, chunk, dataset->name);
    size_t made = ZSTD_decompress(plain, size, packed, packed_size);
    if (ZSTD_isError(made) || made != size)
        fail("%s: damaged: chunk %" PRIu64 " of %s cannot be unpacked", file->path, chunk, dataset->name);
    if (dataset->shuffled) {
        uint8_t *shuffled = plain;
        plain = allocate(size);
        for (uint64_t i = 0; i < count; i++)
            for (uint64_t byte = 0; byte < item; byte++)
                plain[i * item + byte] = shuffled[byte * count + i];
        free(shuffled);
    }
    free(packed);
    free(dataset->bytes);
    dataset->bytes = plain;
    dataset->held = (int64_t)chunk;
}

/* A field of an item; the name is empty where an item is a number. */
static int64_t item_of(File *file, Dataset *dataset, uint64_t number, const char *name)
{
    if (number >= dataset->items)
        fail("%s: %s has no item %" PRIu64, file->path, dataset->name, number);
    if (dataset->held != (int64_t)(number / dataset->per_chunk))
        read_chunk(file, dataset, number / dataset->per_chunk);
    for (const Field *field = dataset->fields; field < dataset->fields + dataset->field_count; field++)
        if (!strcmp(field->name, name)) {
            const uint8_t *item = dataset->bytes + number % dataset->per_chunk * (uint64_t)dataset->item_size;
            uint64_t bits = little_endian(item + field->offset, field->size);
            return field->is_signed && field->size == 1 ? (int8_t)bits : (int64_t)bits;
        }
    fail("%s: %s has no field %s", file->path, dataset->name, name);
    return 0;
}

/* ---- chess: positions, legal moves, scores ---- */

typedef struct {
    char board[64]; /* a1 = 0 to h8 = 63; KQRBNP for White, kqrbnp for Black, 0 for nothing */
    int to_move;
    int en_passant; /* the square behind a pawn that has just made two steps, or -1 */
} Position;

typedef struct {
    int from, to;
    char promotion; /* in upper case, or 0 */
} Move;

typedef struct {
    int holder, code;
} Score;

enum { MAX_MEN = 8, MAX_MOVES = 256 };

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
        char man = position->board[8 * rank + file];
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

static int king_of(const Position *position, int color)
{
    const char *king = memchr(position->board, man_of(color, 'K'), 64);
    return king ? (int)(king - position->board) : -1;
}

static bool in_check(const Position *position, int color)
{
    return attacked(position, king_of(position, color), !color);
}

static bool is_en_passant(const Position *position, const Move *move)
{
    return toupper((unsigned char)position->board[move->from]) == 'P' && move->to == position->en_passant &&
           move->from % 8 != move->to % 8;
}

static bool is_reset(const Position *position, const Move *move)
{
    return position->board[move->to] || toupper((unsigned char)position->board[move->from]) == 'P';
}

static Position after(const Position *position, const Move *move)
{
    Position next = *position;
    char man = next.board[move->from];
    if (is_en_passant(position, move))
        next.board[move->from / 8 * 8 + move->to % 8] = 0;
    next.board[move->from] = 0;
    next.board[move->to] = move->promotion ? man_of(position->to_move, move->promotion) : man;
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
    bool promotes = toupper((unsigned char)position->board[from]) == 'P' && (to / 8 == 0 || to / 8 == 7);
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
            char man = position->board[8 * rank + file];
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
    if (!position->board[from + forward]) {
        count = add_move(position, moves, count, from, from + forward);
        if (from / 8 == home && !position->board[from + 2 * forward])
            count = add_move(position, moves, count, from, from + 2 * forward);
    }
    for (int side = -1; side <= 1; side += 2) {
        int to = from + forward + side;
        if (!on_board(from % 8 + side, 0))
            continue;
        char man = position->board[to];
        if ((man && color_of(man) != position->to_move) || to == position->en_passant)
            count = add_move(position, moves, count, from, to);
    }
    return count;
}

static int legal_moves(const Position *position, Move *moves)
{
    int count = 0;
    for (int from = 0; from < 64; from++) {
        char man = position->board[from];
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

static Score own_score(const Position *position)
{
    Move moves[MAX_MOVES];
    return (Score){!position->to_move, 2 * legal_moves(position, moves) + !in_check(position, position->to_move)};
}

/* A number that is the higher, the better an outcome is for White. */
static int worth(Score score) { return score.holder == WHITE ? 1000 - score.code : score.code - 1000; }

static bool same_score(Score a, Score b) { return a.holder == b.holder && a.code == b.code; }

static void read_board(const char *fen, Position *position)
{
    int file = 0, rank = 7;
    for (; *fen && *fen != ' '; fen++) {
        if (*fen == '/') {
            if (file != 8 || rank-- == 0)
                fail("a rank of the FEN has not eight squares");
            file = 0;
        } else if (*fen >= '1' && *fen <= '8')
            file += *fen - '0';
        else if (strchr("KQRBNPkqrbnp", *fen) && file < 8) {
            if (toupper((unsigned char)*fen) == 'P' && (rank == 0 || rank == 7))
                fail("a pawn stands on its first or last rank");
            position->board[8 * rank + file++] = *fen;
        } else
            fail("the FEN has a sign that is no man: %c", *fen);
    }
    if (rank || file != 8)
        fail("the FEN has not eight ranks of eight squares");
}

static void read_en_passant(const char *text, Position *position)
{
    int rank = position->to_move == WHITE ? 5 : 2, forward = position->to_move == WHITE ? 8 : -8;
    int square = (text[1] - '1') * 8 + text[0] - 'a';
    if (text[0] < 'a' || text[0] > 'h' || text[1] != '1' + rank || text[2] || position->board[square] ||
        position->board[square + forward] || position->board[square - forward] != man_of(!position->to_move, 'P'))
        fail("no pawn can be taken en passant on %s", text);
    position->en_passant = square;
}

static Position read_fen(const char *fen)
{
    Position position = {{0}, WHITE, -1};
    char board[100], side[4], castling[8], en_passant[4];
    if (sscanf(fen, " %99s %3s %7s %3s", board, side, castling, en_passant) != 4)
        fail("the FEN has less than four fields");
    read_board(board, &position);
    if (strcmp(side, "w") && strcmp(side, "b"))
        fail("the side to move is neither w nor b");
    position.to_move = *side == 'w' ? WHITE : BLACK;
    if (strcmp(castling, "-"))
        fail("tables know no castling rights");
    if (strcmp(en_passant, "-"))
        read_en_passant(en_passant, &position);
    int men = 0;
    for (int square = 0; square < 64; square++)
        men += position.board[square] != 0;
    if (men > MAX_MEN)
        fail("there are no tables of %d men", men);
    for (int color = WHITE; color <= BLACK; color++) {
        int kings = 0;
        for (int square = 0; square < 64; square++)
            kings += position.board[square] == man_of(color, 'K');
        if (kings != 1)
            fail("a side has %d kings", kings);
    }
    if (in_check(&position, !position.to_move))
        fail("the side that is not to move is in check");
    return position;
}

static Score read_score(const char *text)
{
    Score score = {*text == '-' || *text == 'm' ? BLACK : WHITE, 0};
    const char *at = text + (score.holder == BLACK);
    char *end;
    unsigned long whole = 0;
    if ((*at != 'G' && *at != 'g') || !isdigit((unsigned char)at[1]) || (whole = strtoul(at + 1, &end, 10)) > 200 ||
        end[0] != '.' || (end[1] != '0' && end[1] != '5') || end[2])
        fail("no accrued score: %s", text);
    score.code = (int)(2 * whole) + (end[1] == '5');
    return score;
}

/* ---- where a position lies ---- */

typedef struct {
    File outcomes, distances;
    bool has_distances;
    int pawns, men; /* men beside the white king and the pawns, the black king included */
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
    int king = (int)((char *)memchr(board, 'K', 64) - board);
    if (king % 8 > 3)
        transform(board, mirrored_files);
    if (king / 8 > 3)
        transform(board, mirrored_ranks);
    king = (int)((char *)memchr(board, 'K', 64) - board);
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
    int king = (int)((char *)memchr(board, 'K', 64) - board);
    if (order < 0 || (order == 0 && king % 8 > 3))
        memcpy(board, other, 64);
}

static uint64_t block_of(Table *table, const int *pawns)
{
    File *file = &table->outcomes;
    Dataset *squares = dataset_of(file, "block_squares");
    int count = table->pawns;
    if (!count)
        return 0;
    for (uint64_t block = 0; block < squares->items / (uint64_t)count; block++) {
        int same = 0;
        while (same < count && item_of(file, squares, block * (uint64_t)count + (uint64_t)same, "") == pawns[same])
            same++;
        if (same == count)
            return block;
    }
    fail("%s: has no block of these pawns", file->path);
    return 0;
}

/* The number of a position among the places of a table; White is the stronger side. */
static uint64_t place_of(Table *table, char *board, int to_move)
{
    static const int triangle[10] = {0, 1, 2, 3, 9, 10, 11, 18, 19, 27};
    int pawns[64], pieces[64];
    if (table->pawns)
        turn_with_pawns(board);
    else
        turn_without_pawns(board);
    pawns_of(board, pawns);
    int count = pieces_of(board, pieces);
    uint64_t place = 2 * block_of(table, pawns) + (uint64_t)to_move;
    while (count--)
        place = 64 * place + (uint64_t)pieces[count];
    int king = (int)((char *)memchr(board, 'K', 64) - board);
    if (table->pawns)
        return 64 * place + (uint64_t)king;
    for (int number = 0; number < 10; number++)
        if (triangle[number] == king)
            return 10 * place + (uint64_t)number;
    fail("no symmetry brings the white king into the triangle");
    return 0;
}

/* ---- tables of a folder ---- */

typedef struct Opened {
    char name[16], complaint[sizeof complaint];
    Table table;
    struct Opened *next;
} Opened;

static const char *folder;
static Opened *opened;

static bool is_there(const char *path)
{
    FILE *stream = fopen(path, "rb");
    if (stream)
        fclose(stream);
    return stream != NULL;
}

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

static void check_sizes(Table *table, File *file, const char *name, const char *dataset)
{
    uint64_t blocks = 1, places = table->pawns ? 64 : 10;
    if (table->pawns)
        blocks = dataset_of(&table->outcomes, "block_squares")->items / (uint64_t)table->pawns;
    for (int i = 0; i < table->men; i++)
        places *= 64;
    if (strcmp(file->material, name))
        fail("%s: is of %s", file->path, file->material);
    if (dataset_of(file, dataset)->items != 2 * blocks * places)
        fail("%s: %s has not as many items as there are places", file->path, dataset);
}

static void open_table(Table *table, const char *name)
{
    File *outcomes = &table->outcomes, *distances = &table->distances;
    for (const char *man = name; *man; man++)
        *(*man == 'P' ? &table->pawns : &table->men) += isupper((unsigned char)*man) && (*man != 'K' || man > name);
    snprintf(outcomes->path, sizeof outcomes->path, "%s/%s.h5", folder, name);
    open_file(outcomes);
    if (strcmp(outcomes->layer, "outcomes"))
        fail("%s: has %s", outcomes->path, outcomes->layer);
    check_sizes(table, outcomes, name, "symbol");
    snprintf(distances->path, sizeof distances->path, "%s/%s.dtg.h5", folder, name);
    if (!is_there(distances->path))
        return;
    open_file(distances);
    if (strcmp(distances->layer, "distances"))
        fail("%s: has %s", distances->path, distances->layer);
    check_digest(outcomes, outcomes->digest, distances->outcomes, "what its distances belong to");
    check_sizes(table, distances, name, "dtg");
    check_sizes(table, distances, name, "detail");
    table->has_distances = true;
}

/* A table that could not be opened is not tried again: every question to it gets the same complaint. */
static Table *table_of(const char *name)
{
    Opened *entry = opened;
    while (entry && strcmp(entry->name, name))
        entry = entry->next;
    if (!entry) {
        entry = allocate(sizeof *entry);
        memset(entry, 0, sizeof *entry);
        strcpy(entry->name, name);
        strcpy(entry->complaint, "cannot be opened");
        entry->next = opened;
        opened = entry;
        jmp_buf outer;
        memcpy(&outer, &line_at_hand, sizeof outer);
        int failed = setjmp(line_at_hand);
        if (!failed)
            open_table(&opened->table, name);
        strcpy(opened->complaint, failed ? complaint : "");
        memcpy(&line_at_hand, &outer, sizeof outer);
        entry = opened;
    }
    if (*entry->complaint)
        fail("%s", entry->complaint);
    return &entry->table;
}

/* ---- the value of a position ---- */

typedef struct {
    Score outcome;
    int plies; /* -1 where there are no distances */
} Value;

static Score score_of(int64_t signed_outcome)
{
    if (signed_outcome == 0)
        fail("a table has an outcome that is none");
    return signed_outcome > 0 ? (Score){WHITE, (int)signed_outcome - 1} : (Score){BLACK, (int)-signed_outcome - 1};
}

/* The last of some rows that has the accrued holder and a code of at most the accrued one, or -1. */
static int64_t row_of(File *file, Dataset *rows, int64_t first, int64_t count, Score accrued)
{
    for (int64_t row = first + count - 1; row >= first; row--)
        if (item_of(file, rows, (uint64_t)row, "holder") == accrued.holder &&
            item_of(file, rows, (uint64_t)row, "code") <= accrued.code)
            return row;
    return -1;
}

static int entry_plies(Table *table, uint64_t place, Score entry, int to_move)
{
    int64_t stored = item_of(&table->distances, dataset_of(&table->distances, "dtg"), place, "");
    return (int)(to_move == entry.holder ? stored ^ 1 : stored);
}

/* The distance of what a hold breaks into. */
static int break_plies(Table *table, uint64_t place, int64_t symbol, int plies_of_entry, Score accrued, Score outcome)
{
    File *file = &table->distances;
    Dataset *states = dataset_of(file, "states"), *rows = dataset_of(file, "rows");
    int64_t group = item_of(file, dataset_of(file, "symbol_groups"), (uint64_t)symbol, "") + plies_of_entry;
    int64_t state = item_of(file, dataset_of(file, "group_states"), (uint64_t)group, "") +
                    item_of(file, dataset_of(file, "detail"), place, "");
    int64_t first = item_of(file, states, (uint64_t)state, "first");
    int64_t row = row_of(file, rows, first, item_of(file, states, (uint64_t)state, "rows"), accrued);
    if (row < 0 || !same_score(score_of(item_of(file, rows, (uint64_t)row, "outcome")), outcome))
        fail("%s: its distances have another outcome than its outcomes", file->path);
    return (int)item_of(file, rows, (uint64_t)row, "dtg");
}

/* The value of a place, White being the stronger side. */
static Value look_up(Table *table, uint64_t place, int to_move, Score own, Score accrued)
{
    File *file = &table->outcomes;
    Dataset *symbols = dataset_of(file, "symbols"), *rows = dataset_of(file, "outcome_rows");
    int64_t symbol = item_of(file, dataset_of(file, "symbol"), place, "");
    Score entry = score_of(item_of(file, symbols, (uint64_t)symbol, "entry"));
    int plies = table->has_distances ? entry_plies(table, place, entry, to_move) : -1;
    if (same_score(accrued, own) || entry.code < accrued.code)
        return (Value){entry, plies};
    int64_t first = item_of(file, symbols, (uint64_t)symbol, "first");
    int64_t row = row_of(file, rows, first, item_of(file, symbols, (uint64_t)symbol, "rows"), accrued);
    if (row < 0)
        return (Value){accrued, 0};
    Score outcome = score_of(item_of(file, rows, (uint64_t)row, "outcome"));
    int gain = worth(outcome) - worth(accrued);
    if (accrued.holder == WHITE ? gain >= 0 : gain <= 0)
        return (Value){accrued, 0};
    if (plies >= 0)
        plies = break_plies(table, place, symbol, plies, accrued, outcome);
    return (Value){outcome, plies};
}

static Value value_in_table(const Position *position, Score own, Score accrued)
{
    char name[MAX_MEN + 2], other[MAX_MEN + 2], path[400], board[64];
    name_of(position->board, "KQRBNP", "kqrbnp", name);
    name_of(position->board, "kqrbnp", "KQRBNP", other);
    snprintf(path, sizeof path, "%s/%s.h5", folder, name);
    bool exchanged = false;
    if (!is_there(path)) {
        snprintf(path, sizeof path, "%s/%s.h5", folder, other);
        exchanged = true;
        if (!is_there(path))
            fail("there is no table of %s", name);
    }
    Table *table = table_of(exchanged ? other : name);
    memcpy(board, position->board, 64);
    if (exchanged) {
        transform(board, mirrored_ranks);
        for (int square = 0; square < 64; square++)
            if (board[square])
                board[square] = man_of(!color_of(board[square]), (char)toupper((unsigned char)board[square]));
        own.holder ^= 1, accrued.holder ^= 1;
    }
    int to_move = position->to_move ^ exchanged;
    Value value = look_up(table, place_of(table, board, to_move), to_move, own, accrued);
    value.outcome.holder ^= exchanged;
    return value;
}

static Value value_of(const Position *position, Score accrued);

/* The value of a position after a move, with the plies of this one. */
static Value value_of_move(const Position *position, const Move *move, Score accrued)
{
    Position next = after(position, move);
    Score own = own_score(&next);
    Value value = value_of(&next, is_reset(position, move) || own.code < accrued.code ? own : accrued);
    if (value.plies >= 0)
        value.plies++;
    return value;
}

/* A position with a legal capture en passant is in no table: its value is that of its best move. */
static Value value_by_search(const Position *position, const Move *moves, int count, Score accrued)
{
    int sign = position->to_move == WHITE ? 1 : -1;
    Value best = value_of_move(position, &moves[0], accrued);
    for (int i = 1; i < count; i++) {
        Value value = value_of_move(position, &moves[i], accrued);
        int gain = sign * (worth(value.outcome) - worth(best.outcome));
        bool progress = sign * (worth(value.outcome) - worth(accrued)) > 0;
        if (gain > 0 || (gain == 0 && (progress ? value.plies < best.plies : value.plies > best.plies)))
            best = value;
    }
    if (same_score(best.outcome, accrued))
        best.plies = 0;
    return best;
}

/* No game can carry such a score: it would have ended, or a king alone would have given check or had nine moves. */
static void check_accrued(const Position *position, Score accrued)
{
    int men[2] = {0, 0};
    for (int square = 0; square < 64; square++)
        if (position->board[square])
            men[color_of(position->board[square])]++;
    if (accrued.code < 2 || (men[accrued.holder] == 1 && accrued.code % 2 == 0) ||
        (men[!accrued.holder] == 1 && accrued.code > 17))
        fail("no game can carry this accrued score");
}

/* Improvements are made first: an accrued score is never worse than the own one. */
static Value value_of(const Position *position, Score accrued)
{
    Move moves[MAX_MOVES];
    int count = legal_moves(position, moves);
    Score own = {!position->to_move, 2 * count + !in_check(position, position->to_move)};
    if (own.code < accrued.code)
        accrued = own;
    for (int i = 0; i < count; i++)
        if (is_en_passant(position, &moves[i]))
            return value_by_search(position, moves, count, accrued);
    return value_in_table(position, own, accrued);
}

/* ---- the program ---- */

static void answer(char *line)
{
    char *separator = strchr(line, ';');
    if (!separator)
        fail("the line has no semicolon");
    *separator++ = 0;
    separator[strcspn(separator, "\r")] = 0;
    Position position = read_fen(line);
    Score own = own_score(&position), accrued = *separator ? read_score(separator) : own;
    if (!same_score(accrued, own))
        check_accrued(&position, accrued);
    Value value = value_of(&position, accrued);
    const char *sign = value.outcome.holder == WHITE ? "" : "-";
    printf("%sG%d.%d;", sign, value.outcome.code / 2, value.outcome.code % 2 * 5);
    if (value.plies >= 0)
        printf("%d\n", value.plies);
    else
        printf("?\n");
}

/* Whether all files are sound; says of each what it is. */
static int verify(char **names)
{
    static char **path;
    static int status;
    for (path = names; *path; path++) {
        static File file;
        memset(&file, 0, sizeof file);
        snprintf(file.path, sizeof file.path, "%s", *path);
        if (!setjmp(line_at_hand)) {
            open_file(&file);
            check_every_byte(&file);
            printf("%s: sound\n", *path);
        } else {
            printf("error: %s\n", complaint);
            status = 1;
        }
        close_file(&file);
    }
    return status;
}

int main(int count, char **arguments)
{
    static char line[400];
    static int status;
    if (count > 2 && !strcmp(arguments[1], "--verify"))
        return verify(arguments + 2);
    if (count != 2) {
        fprintf(stderr, "reader FOLDER < LINES, or reader --verify FILE...\n");
        return 2;
    }
    folder = arguments[1];
    while (fgets(line, sizeof line, stdin)) {
        if (strlen(line) == sizeof line - 1)
            for (int sign = *line = 0; sign != '\n' && sign != EOF;) /* too long: nothing is left of it */
                sign = getchar();
        line[strcspn(line, "\n")] = 0;
        if (!setjmp(line_at_hand))
            answer(line);
        else {
            printf("error: %s\n", complaint);
            status = 1;
        }
    }
    return status;
}
