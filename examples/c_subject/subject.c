/* A complete subject in C99 that speaks the line protocol, version 1.
 *
 * It answers all nine functions of the subject interface with explicit loops, straight from the paper:
 *
 *     part 1   memory and refusals      one arena, emptied after every line
 *     part 2   a small JSON reader      numbers, strings, lists, objects
 *     part 3   the paper                sections 3 to 5, one function per formula
 *     part 4   the nine functions       arguments in, nested lists out
 *     part 5   the conversation         one line in, one line out
 *
 * Build it with `make`, or: cc -std=c99 -O2 -o subject subject.c -lm
 * Judge it with:            lmlir check --command ./subject
 */
#include <math.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- part 1: memory and refusals ------------------------------------------------------------------------------ */

typedef struct Block { struct Block *next; double align; } Block;

static Block *blocks;       /* everything taken while one line is answered */
static jmp_buf refusal;     /* where `refuse` returns to */
static const char *reason;  /* what it says there */

static void refuse(const char *why)
{
    reason = why;
    longjmp(refusal, 1);
}

static void *take(size_t bytes)
{
    Block *block = calloc(1, sizeof(Block) + bytes);
    if (!block) refuse("out of memory");
    block->next = blocks;
    blocks = block;
    return block + 1;
}

static double *numbers(size_t count) { return take(count * sizeof(double)); }

static void release(void)
{
    while (blocks) {
        Block *next = blocks->next;
        free(blocks);
        blocks = next;
    }
}

/* ---- part 2: a small JSON reader ------------------------------------------------------------------------------ */

typedef enum { NUMBER, TEXT, LIST, OBJECT, OTHER } Kind;

typedef struct Value {
    Kind kind;
    double number;
    char *text;              /* TEXT */
    char *key;               /* the name of a member of an OBJECT */
    struct Value *first;     /* LIST, OBJECT */
    struct Value *next;      /* the sibling after this one */
    size_t count;            /* LIST, OBJECT */
} Value;

static const char *at;       /* the next character to read */

static Value *read_value(int depth);

static char skip_space(void)
{
    while (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r') at++;
    return *at;
}

static char *read_text(void)
{
    char *text = take(strlen(at) + 1), *end = text;
    if (skip_space() != '"') refuse("the line is not JSON: a string was expected");
    for (at++; *at != '"'; at++) {
        if (*at == '\0') refuse("the line is not JSON: a string has no end");
        if (*at == '\\' && *++at == 'u') refuse("escapes of the form backslash u are not understood here");
        *end++ = *at;
    }
    at++;
    return text;
}

static Value *read_members(Value *parent, char close, int depth)
{
    Value **place = &parent->first;
    at++;
    if (skip_space() == close) { at++; return parent; }
    for (;; at++) {
        char *key = NULL;
        if (parent->kind == OBJECT) {
            key = read_text();
            if (skip_space() != ':') refuse("the line is not JSON: a colon was expected");
            at++;
        }
        *place = read_value(depth + 1);
        (*place)->key = key;
        place = &(*place)->next;
        parent->count++;
        if (skip_space() == close) { at++; return parent; }
        if (*at != ',') refuse("the line is not JSON: a comma was expected");
    }
}

static Value *read_value(int depth)
{
    Value *value = take(sizeof(Value));
    char *end, c = skip_space();
    if (depth > 20) refuse("the line is nested too deeply");
    if (c == '[') { value->kind = LIST; return read_members(value, ']', depth); }
    if (c == '{') { value->kind = OBJECT; return read_members(value, '}', depth); }
    if (c == '"') {
        value->kind = TEXT;
        value->text = read_text();
        return value;
    }
    value->kind = c == '-' || (c >= '0' && c <= '9') ? NUMBER : OTHER;
    if (value->kind == NUMBER) {
        value->number = strtod(at, &end);
        at = end;
    } else {
        size_t length = strspn(at, "truefalsn");
        if (!length) refuse("the line is not JSON: a value was expected");
        at += length;
    }
    return value;
}

static Value *member(const Value *object, const char *key)
{
    Value *value = object && object->kind == OBJECT ? object->first : NULL;
    while (value && strcmp(value->key, key)) value = value->next;
    return value;
}

/* NaN and infinities, which come as text, are refused: no answer to them is right. */
static double as_number(const Value *value)
{
    if (value->kind != NUMBER || !isfinite(value->number)) refuse("a finite number was expected");
    return value->number;
}

/* ---- part 3: the paper ---------------------------------------------------------------------------------------- */

typedef struct {             /* Theta: the parameters of the model, F features and S regions */
    int F, S;
    double *centers, *radii, *local_metrics, *background_metric;
} Theta;

static double dot(const double *u, const double *v, int F)
{
    double sum = 0;
    for (int f = 0; f < F; f++) sum += u[f] * v[f];
    return sum;
}

static double clipped(double lambda) { return fmin(fmax(lambda, 0), 1); }

/* Table 1 for one pair and one ball. Delta is 4a (r - h)(r + h), h the distance of the line from the center: the same
 * number as the printed b^2 - 4ac, without its loss of digits when the ball is small and far away. */
typedef struct {
    int crosses;             /* Delta > 0 */
    double a, root;          /* root is the square root of Delta */
    double lambda_u, lambda_v;
    double *d, *offset;      /* x_j - x_i, and from the center to the nearest point of the line */
} Chord;

static Chord chord(const double *x_i, const double *x_j, const double *center, double radius, int F)
{
    Chord c = {0};
    double *from_center = numbers(F), b, h, Delta;
    c.d = numbers(F);
    c.offset = numbers(F);
    for (int f = 0; f < F; f++) c.d[f] = x_j[f] - x_i[f], from_center[f] = x_i[f] - center[f];
    c.a = dot(c.d, c.d, F);
    if (c.a == 0) return c;  /* coincident points: gamma is 0 */
    b = 2 * dot(c.d, from_center, F);
    for (int f = 0; f < F; f++) c.offset[f] = from_center[f] - b / (2 * c.a) * c.d[f];
    h = sqrt(dot(c.offset, c.offset, F));
    Delta = 4 * c.a * (radius - h) * (radius + h);
    if (Delta <= 0) return c;
    c.crosses = 1;
    c.root = sqrt(Delta);
    c.lambda_u = (-b - c.root) / (2 * c.a);
    c.lambda_v = (-b + c.root) / (2 * c.a);
    return c;
}

/* Definition 8: gamma = lambda_q - lambda_p. */
static double intersection_ratio(const double *x_i, const double *x_j, const double *center, double radius, int F)
{
    Chord c = chord(x_i, x_j, center, radius, F);
    return c.crosses ? clipped(c.lambda_v) - clipped(c.lambda_u) : 0;
}

/* Table 3: zero unless an end of the chord lies on the segment. */
static void ratio_gradient(const double *x_i, const double *x_j, const double *center, double radius, int F,
                           double *by_center, double *by_radius)
{
    Chord c = chord(x_i, x_j, center, radius, F);
    int u_inside = c.crosses && c.lambda_u >= 0 && c.lambda_u <= 1;
    int v_inside = c.crosses && c.lambda_v >= 0 && c.lambda_v <= 1;
    int ends = u_inside + v_inside;              /* each end of the chord on the segment moves with the ball */
    int shift = v_inside - u_inside;             /* row 4: +1, row 5: -1, row 3: 0 */
    for (int f = 0; f < F; f++)
        by_center[f] = ends ? shift * c.d[f] / c.a + 2 * ends * c.offset[f] / c.root : 0;
    *by_radius = ends ? 2 * ends * radius / c.root : 0;
}

static int ascending(const void *left, const void *right)
{
    double difference = *(const double *)left - *(const double *)right;
    return (difference > 0) - (difference < 0);
}

/* Definition 5: 1 minus the measure of the union of the intersections. */
static double exact_background_ratio(const double *x_i, const double *x_j, const Theta *t)
{
    double *pieces = numbers(2 * t->S), covered = 0, reached = 0;
    for (int s = 0; s < t->S; s++) {
        Chord c = chord(x_i, x_j, t->centers + s * t->F, t->radii[s], t->F);
        pieces[2 * s] = c.crosses ? clipped(c.lambda_u) : 0;
        pieces[2 * s + 1] = c.crosses ? clipped(c.lambda_v) : 0;
    }
    qsort(pieces, t->S, 2 * sizeof(double), ascending);
    for (int s = 0; s < t->S; s++) {
        covered += fmax(pieces[2 * s + 1] - fmax(pieces[2 * s], reached), 0);
        reached = fmax(reached, pieces[2 * s + 1]);
    }
    return 1 - covered;
}

/* Definitions 3 and 4: the plain Mahalanobis length of d. */
static double length(const double *d, const double *metric, int F)
{
    double sum = 0;
    for (int f = 0; f < F; f++) sum += d[f] * dot(metric + f * F, d, F);
    return sqrt(sum < 0 ? 0 : sum);
}

/* Equation (9) taken apart for one pair. */
typedef struct { double *d, *gammas, *lengths, gamma_b, background_length, D; } Terms;

static Terms terms(const double *x_i, const double *x_j, const Theta *t)
{
    Terms e = {numbers(t->F), numbers(t->S), numbers(t->S), 1, 0, 0};
    double sum = 0;
    for (int f = 0; f < t->F; f++) e.d[f] = x_j[f] - x_i[f];
    for (int s = 0; s < t->S; s++) {
        e.gammas[s] = intersection_ratio(x_i, x_j, t->centers + s * t->F, t->radii[s], t->F);
        e.lengths[s] = length(e.d, t->local_metrics + s * t->F * t->F, t->F);
        sum += e.gammas[s];
        e.D += e.gammas[s] * e.lengths[s];
    }
    e.gamma_b = fmax(1 - sum, 0);
    e.background_length = length(e.d, t->background_metric, t->F);
    e.D += e.gamma_b * e.background_length;
    return e;
}

/* Equation (10): the mean of the K smallest distances from x to the rows of a class. */
static double mean_of_nearest(const double *x, const double *members, int count, int K, const Theta *t)
{
    double *D = numbers(count), sum = 0;
    for (int m = 0; m < count; m++) D[m] = terms(x, members + m * t->F, t).D;
    qsort(D, count, sizeof(double), ascending);
    for (int k = 0; k < K; k++) sum += D[k];
    return sum / K;
}

static double frobenius_norm(const double *metric, int F) { return sqrt(dot(metric, metric, F * F)); }

/* The derivatives of D for one pair, times a weight, added to `slope`. */
static void add_distance_gradient(double weight, const double *x_i, const double *x_j, const Theta *t, Theta *slope)
{
    Terms e = terms(x_i, x_j, t);
    double *by_center = numbers(t->F), by_radius;
    int F = t->F;
    for (int s = 0; s <= t->S; s++) {            /* s = S stands for the background */
        double *by_metric = s < t->S ? slope->local_metrics + s * F * F : slope->background_metric;
        double ratio = s < t->S ? e.gammas[s] : e.gamma_b;
        double size = s < t->S ? e.lengths[s] : e.background_length;
        if (size > 0)
            for (int f = 0; f < F * F; f++) by_metric[f] += weight * ratio / (2 * size) * e.d[f / F] * e.d[f % F];
    }
    for (int s = 0; s < t->S; s++) {
        double gain = e.lengths[s] - (e.gamma_b > 0 ? e.background_length : 0);
        ratio_gradient(x_i, x_j, t->centers + s * F, t->radii[s], F, by_center, &by_radius);
        for (int f = 0; f < F; f++) slope->centers[s * F + f] += weight * gain * by_center[f];
        slope->radii[s] += weight * gain * by_radius;
    }
}

/* The gradient of alpha times the Frobenius norm; 0 where the norm is 0. */
static void add_shrinkage(const double *metric, double alpha, double *slope, int F)
{
    double norm = frobenius_norm(metric, F);
    for (int f = 0; norm > 0 && f < F * F; f++) slope[f] += alpha * metric[f] / norm;
}

/* The nearest positive semi-definite matrix: eigenvalues by Jacobi's rotations, negative ones set to 0. */
static void project(double *M, int F)
{
    double *V = numbers(F * F), *A = numbers(F * F);
    for (int i = 0; i < F; i++)
        for (int j = 0; j < F; j++) A[i * F + j] = (M[i * F + j] + M[j * F + i]) / 2, V[i * F + j] = i == j;
    for (int sweep = 0; sweep < 60; sweep++)
        for (int p = 0; p < F; p++)
            for (int q = p + 1; q < F; q++) {
                double apq = A[p * F + q], theta, t, c, s;
                if (apq == 0) continue;
                theta = (A[q * F + q] - A[p * F + p]) / (2 * apq);
                t = (theta < 0 ? -1 : 1) / (fabs(theta) + hypot(theta, 1));
                c = 1 / hypot(t, 1);
                s = t * c;
                for (int k = 0; k < F; k++) {    /* A = A R */
                    double kp = A[k * F + p], kq = A[k * F + q], vp = V[k * F + p], vq = V[k * F + q];
                    A[k * F + p] = c * kp - s * kq, A[k * F + q] = s * kp + c * kq;
                    V[k * F + p] = c * vp - s * vq, V[k * F + q] = s * vp + c * vq;
                }
                for (int k = 0; k < F; k++) {    /* A = R^T A */
                    double pk = A[p * F + k], qk = A[q * F + k];
                    A[p * F + k] = c * pk - s * qk, A[q * F + k] = s * pk + c * qk;
                }
                A[p * F + q] = A[q * F + p] = 0;
            }
    memset(M, 0, F * F * sizeof(double));
    for (int e = 0; e < F; e++)
        for (int f = 0; A[e * F + e] > 0 && f < F * F; f++) M[f] += A[e * F + e] * V[f / F * F + e] * V[f % F * F + e];
}

/* ---- part 4: the nine functions ------------------------------------------------------------------------------- */

typedef struct { int rows; double *data; } Table;   /* a nested list, flattened; `rows` is its outer length */

static size_t flatten(const Value *value, double *out)
{
    size_t count = 0;
    if (value->kind != LIST) {
        if (out) *out = as_number(value);
        return 1;
    }
    for (const Value *item = value->first; item; item = item->next) count += flatten(item, out ? out + count : NULL);
    return count;
}

static const Value *argument(const Value *arguments, const char *name)
{
    const Value *value = member(arguments, name);
    if (!value) refuse("an argument is missing");
    return value;
}

static double scalar(const Value *arguments, const char *name) { return as_number(argument(arguments, name)); }

static Table table(const Value *arguments, const char *name, int width)
{
    const Value *value = argument(arguments, name);
    Table result = {(int)value->count, NULL};
    size_t count = flatten(value, NULL);
    if (value->kind != LIST) refuse("a list was expected");
    if (count != value->count * width) refuse("the shapes of the arguments do not fit together");
    result.data = numbers(count);
    flatten(value, result.data);
    return result;
}

/* The number of features: the length of the first row found; 1 when no list has rows. */
static int features(const Value *arguments)
{
    static const char *names[] = {"background_metric", "X_i", "X_j", "centers", NULL};
    for (const char **name = names; *name; name++) {
        const Value *value = member(arguments, *name);
        if (value && value->kind == LIST && value->first && value->first->kind == LIST) return (int)value->first->count;
    }
    return 1;
}

static void read_pairs(const Value *arguments, int F, Table *X_i, Table *X_j)
{
    *X_i = table(arguments, "X_i", F);
    *X_j = table(arguments, "X_j", F);
    if (X_i->rows != X_j->rows) refuse("X_i and X_j differ in number of rows");
}

static Theta regions(const Value *arguments)
{
    int F = features(arguments);
    Table centers = table(arguments, "centers", F), radii = table(arguments, "radii", 1);
    Theta t = {F, centers.rows, centers.data, radii.data, NULL, NULL};
    if (radii.rows != t.S) refuse("centers and radii differ in number");
    return t;
}

static Theta parameters(const Value *arguments)
{
    Theta t = regions(arguments);
    Table local = table(arguments, "local_metrics", t.F * t.F);
    if (local.rows != t.S) refuse("centers and local_metrics differ in number");
    t.local_metrics = local.data;
    t.background_metric = table(arguments, "background_metric", t.F).data;
    return t;
}

/* Nested lists: `shape` lists the lengths of `depth` axes; the numbers are read from *data on. */
static void print_list(const double **data, const int *shape, int depth)
{
    if (depth == 0) {
        double x = *(*data)++;
        if (isnan(x)) printf("\"NaN\"");
        else if (isinf(x)) printf(x > 0 ? "\"Infinity\"" : "\"-Infinity\"");
        else printf("%.17g", x);
        return;
    }
    putchar('[');
    for (int k = 0; k < shape[0]; k++) {
        if (k) putchar(',');
        print_list(data, shape + 1, depth - 1);
    }
    putchar(']');
}

static void print_array(const double *data, int depth, int n0, int n1, int n2)
{
    int shape[] = {n0, n1, n2};
    print_list(&data, shape, depth);
}

static void print_theta(const Theta *t)
{
    putchar('[');
    print_array(t->centers, 2, t->S, t->F, 0), putchar(',');
    print_array(t->radii, 1, t->S, 0, 0), putchar(',');
    print_array(t->local_metrics, 3, t->S, t->F, t->F), putchar(',');
    print_array(t->background_metric, 2, t->F, t->F, 0), putchar(']');
}

/* Every `answer_` function computes first and prints last, so that a refusal leaves no half-printed line. */
static void result_follows(const Value *id)
{
    printf("{\"id\": %.17g, \"result\": ", id ? id->number : 0);
}

static void answer_intersection_ratios(const Value *id, const Value *arguments)
{
    Theta t = regions(arguments);
    Table X_i, X_j;
    read_pairs(arguments, t.F, &X_i, &X_j);
    double *gammas = numbers(X_i.rows * t.S);
    for (int p = 0; p < X_i.rows; p++)
        for (int s = 0; s < t.S; s++)
            gammas[p * t.S + s] = intersection_ratio(X_i.data + p * t.F, X_j.data + p * t.F,
                                                     t.centers + s * t.F, t.radii[s], t.F);
    result_follows(id);
    print_array(gammas, 2, X_i.rows, t.S, 0);
}

static void answer_ratio_gradients(const Value *id, const Value *arguments)
{
    Theta t = regions(arguments);
    Table X_i, X_j;
    read_pairs(arguments, t.F, &X_i, &X_j);
    double *by_center = numbers(X_i.rows * t.S * t.F), *by_radius = numbers(X_i.rows * t.S);
    for (int p = 0; p < X_i.rows; p++)
        for (int s = 0; s < t.S; s++)
            ratio_gradient(X_i.data + p * t.F, X_j.data + p * t.F, t.centers + s * t.F, t.radii[s], t.F,
                           by_center + (p * t.S + s) * t.F, by_radius + p * t.S + s);
    result_follows(id);
    putchar('[');
    print_array(by_center, 3, X_i.rows, t.S, t.F), putchar(',');
    print_array(by_radius, 2, X_i.rows, t.S, 0), putchar(']');
}

static void answer_exact_background_ratios(const Value *id, const Value *arguments)
{
    Theta t = regions(arguments);
    Table X_i, X_j;
    read_pairs(arguments, t.F, &X_i, &X_j);
    double *ratios = numbers(X_i.rows);
    for (int p = 0; p < X_i.rows; p++)
        ratios[p] = exact_background_ratio(X_i.data + p * t.F, X_j.data + p * t.F, &t);
    result_follows(id);
    print_array(ratios, 1, X_i.rows, 0, 0);
}

static void answer_distances(const Value *id, const Value *arguments)
{
    Theta t = parameters(arguments);
    Table X_i, X_j;
    read_pairs(arguments, t.F, &X_i, &X_j);
    double *D = numbers(X_i.rows);
    for (int p = 0; p < X_i.rows; p++) D[p] = terms(X_i.data + p * t.F, X_j.data + p * t.F, &t).D;
    result_follows(id);
    print_array(D, 1, X_i.rows, 0, 0);
}

static void answer_cross_distances(const Value *id, const Value *arguments)
{
    Theta t = parameters(arguments);
    Table X = table(arguments, "X", t.F), Y = table(arguments, "Y", t.F);
    double *D = numbers(X.rows * Y.rows);
    for (int n = 0; n < X.rows; n++)
        for (int m = 0; m < Y.rows; m++) D[n * Y.rows + m] = terms(X.data + n * t.F, Y.data + m * t.F, &t).D;
    result_follows(id);
    print_array(D, 2, X.rows, Y.rows, 0);
}

static void answer_decision_values(const Value *id, const Value *arguments)
{
    Theta t = parameters(arguments);
    Table X = table(arguments, "X", t.F);
    Table minus = table(arguments, "X_minus", t.F), plus = table(arguments, "X_plus", t.F);
    int K = (int)scalar(arguments, "K");
    double *f = numbers(X.rows);
    if (K < 1 || K > minus.rows || K > plus.rows) refuse("K must be at least 1 and at most the size of each class");
    for (int n = 0; n < X.rows; n++) {
        const double *x = X.data + n * t.F;
        f[n] = mean_of_nearest(x, minus.data, minus.rows, K, &t) - mean_of_nearest(x, plus.data, plus.rows, K, &t);
    }
    result_follows(id);
    print_array(f, 1, X.rows, 0, 0);
}

/* The objective g of section 5 (with E1 corrected), and, when `slope` is given, its gradient (E2 to E4 corrected). */
static double objective(const Value *arguments, const Theta *t, Theta *slope)
{
    Table X = table(arguments, "X", t->F);
    double alpha = scalar(arguments, "alpha"), C = scalar(arguments, "C"), g = 0;
    for (int far = 0; far <= 1; far++) {
        Table pairs = table(arguments, far ? "dissimilar" : "similar", 2);
        for (int p = 0; p < pairs.rows; p++) {
            int i = (int)pairs.data[2 * p], j = (int)pairs.data[2 * p + 1];
            if (i < 0 || j < 0 || i >= X.rows || j >= X.rows) refuse("a pair indexes no row of X");
            double *x_i = X.data + i * t->F, *x_j = X.data + j * t->F;
            double D = terms(x_i, x_j, t).D;
            double slack = fmax(far ? 1 + C - D : D - (1 - C), 0);
            g += slack / pairs.rows;
            if (slope && slack > 0) add_distance_gradient((far ? -1.0 : 1.0) / pairs.rows, x_i, x_j, t, slope);
        }
    }
    for (int s = 0; s <= t->S; s++) {            /* s = S stands for the background */
        const double *metric = s < t->S ? t->local_metrics + s * t->F * t->F : t->background_metric;
        g += alpha * frobenius_norm(metric, t->F);
        if (slope)
            add_shrinkage(metric, alpha, s < t->S ? slope->local_metrics + s * t->F * t->F : slope->background_metric,
                          t->F);
    }
    return g;
}

static Theta zero_slope(const Theta *t)
{
    int F = t->F, S = t->S;
    Theta slope = {F, S, numbers(S * F), numbers(S), numbers(S * F * F), numbers(F * F)};
    return slope;
}

static void answer_objective(const Value *id, const Value *arguments)
{
    Theta t = parameters(arguments);
    double g = objective(arguments, &t, NULL);
    result_follows(id);
    print_array(&g, 0, 0, 0, 0);
}

static void answer_objective_gradient(const Value *id, const Value *arguments)
{
    Theta t = parameters(arguments), slope = zero_slope(&t);
    objective(arguments, &t, &slope);
    result_follows(id);
    print_theta(&slope);
}

static void answer_descent_step(const Value *id, const Value *arguments)
{
    Theta t = parameters(arguments), slope = zero_slope(&t);
    double beta = scalar(arguments, "beta");
    int F = t.F, S = t.S;
    objective(arguments, &t, &slope);
    for (int k = 0; k < S * F; k++) t.centers[k] -= beta * slope.centers[k];
    for (int k = 0; k < S; k++) t.radii[k] = fmax(t.radii[k] - beta * slope.radii[k], 0);
    for (int k = 0; k < S * F * F; k++) t.local_metrics[k] -= beta * slope.local_metrics[k];
    for (int k = 0; k < F * F; k++) t.background_metric[k] -= beta * slope.background_metric[k];
    for (int s = 0; s < S; s++) project(t.local_metrics + s * F * F, F);
    project(t.background_metric, F);
    result_follows(id);
    print_theta(&t);
}

/* ---- part 5: the conversation --------------------------------------------------------------------------------- */

static const struct { const char *name; void (*answer)(const Value *id, const Value *arguments); } functions[] = {
    {"intersection_ratios", answer_intersection_ratios},
    {"ratio_gradients", answer_ratio_gradients},
    {"exact_background_ratios", answer_exact_background_ratios},
    {"distances", answer_distances},
    {"cross_distances", answer_cross_distances},
    {"decision_values", answer_decision_values},
    {"objective", answer_objective},
    {"objective_gradient", answer_objective_gradient},
    {"descent_step", answer_descent_step},
};
enum { FUNCTIONS = sizeof functions / sizeof *functions };

static void greet(void)
{
    printf("{\"version\": 1, \"name\": \"C example\", \"language\": \"C99\", \"offers\": [");
    for (int k = 0; k < FUNCTIONS; k++) printf("%s\"%s\"", k ? ", " : "", functions[k].name);
    printf("]}\n");
}

/* Answers one line; returns 0 when the conversation is over. */
static int answer(const char *line)
{
    const Value *volatile id = NULL;
    at = line;
    if (setjmp(refusal)) {                       /* `refuse` was called somewhere below */
        printf("{\"id\": %.17g, \"error\": \"%s\"}\n", id ? id->number : 0, reason);
        return 1;
    }
    Value *request = read_value(0), *call = member(request, "call");
    id = member(request, "id");
    if (!call || call->kind != TEXT) refuse("the request has no call");
    if (!strcmp(call->text, "stop")) return 0;
    if (!strcmp(call->text, "start")) {
        greet();
        return 1;
    }
    for (int k = 0; k < FUNCTIONS; k++)
        if (!strcmp(call->text, functions[k].name)) {
            functions[k].answer(id, member(request, "arguments"));
            printf("}\n");
            return 1;
        }
    refuse("there is no such function");
    return 1;
}

static char *read_line(void)
{
    size_t size = 1 << 16, used = 0;
    char *line = malloc(size);
    while (line && fgets(line + used, (int)(size - used), stdin)) {
        used += strlen(line + used);
        if (used && line[used - 1] == '\n') return line;
        if (used + 1 == size) line = realloc(line, size *= 2);
    }
    if (line && used) return line;
    free(line);
    return NULL;
}

int main(void)
{
    char *line;
    int going_on = 1;
    while (going_on && (line = read_line())) {
        going_on = answer(line);
        fflush(stdout);
        release();
        free(line);
    }
    return 0;
}
