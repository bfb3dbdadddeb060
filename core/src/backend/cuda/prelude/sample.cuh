// Variates that take several attempts; math/random/sample.rs says which methods these are, and
// both must do the same. Each element's word is the key of the stream of its attempts.

#define LZ_ATTEMPTS 200

LZ_FN lz_u32x4 lz_attempt(lz_u64 word, lz_u32 attempt, lz_u32 part) {
    lz_u32x4 counter = {{attempt, part, 0u, 0u}};
    lz_u32x2 key = {{lz_u32(word), lz_u32(word >> 32)}};
    return lz_philox(counter, key);
}
// A number of (0, 1) from two words.
LZ_FN double lz_open_unit(const lz_u32x4& words, int lane) {
    double u;
    lz_uniform::of(lz_word_pair(words.v[2 * lane], words.v[2 * lane + 1]), u);
    return u + 0x1p-54;
}

LZ_FN lz_u64 lz_sample_below(lz_u64 span, lz_u64 word) {
    if (span == 0) return word;
    lz_u64 low = word * span, high = __umul64hi(word, span);
    if (low < span) {
        lz_u64 least = (0 - span) % span;
        for (lz_u32 attempt = 0; attempt < LZ_ATTEMPTS && low < least; ++attempt) {
            lz_u32x4 words = lz_attempt(word, attempt, 0);
            lz_u64 other = lz_word_pair(words.v[0], words.v[1]);
            low = other * span;
            high = __umul64hi(other, span);
        }
    }
    return high;
}

LZ_FN double lz_ln_gamma_of_large(double shape, lz_u64 word, lz_u32 part) {
    double d = shape - 1.0 / 3.0;
    double c = 1.0 / sqrt(9.0 * d);
    for (lz_u32 attempt = 0; attempt < LZ_ATTEMPTS; ++attempt) {
        lz_u32x4 words = lz_attempt(word, attempt, part);
        double x;
        lz_normal::of(lz_word_pair(words.v[0], words.v[1]), x);
        double root = 1.0 + c * x;
        if (root <= 0.0) continue;
        double ln_v = 3.0 * log(root);
        double v = root * root * root;
        if (log(lz_open_unit(words, 1)) < 0.5 * x * x + d - d * v + d * ln_v) return log(d) + ln_v;
    }
    return log(d);
}
LZ_FN double lz_ln_gamma(double shape, lz_u64 word, lz_u32 part) {
    double boost = 0.0, large = shape;
    if (shape < 1.0) {
        boost = log(lz_open_unit(lz_attempt(word, 0, part + 1), 0)) / shape;
        large = shape + 1.0;
    }
    return lz_ln_gamma_of_large(large, word, part) + boost;
}
LZ_FN double lz_sample_gamma(double shape, lz_u64 word) {
    if (!(shape >= 0.0)) return lz_nan<double>();
    if (shape == 0.0 || shape == lz_infinity<double>()) return shape;
    return exp(lz_ln_gamma(shape, word, 0));
}
LZ_FN double lz_sample_beta(double a, double b, lz_u64 word) {
    double infinity = lz_infinity<double>();
    if (!(a > 0.0 && a < infinity && b > 0.0 && b < infinity)) return lz_nan<double>();
    double difference = lz_ln_gamma(b, word, 2) - lz_ln_gamma(a, word, 0);
    return 1.0 / (1.0 + exp(difference));
}

LZ_FN double lz_poisson_of_large(double mean, lz_u64 word) {
    double root = sqrt(mean), ln_mean = log(mean);
    double b = 0.931 + 2.53 * root;
    double a = -0.059 + 0.02483 * b;
    double ln_inverse = log(1.1239 + 1.1328 / (b - 3.4));
    double inner = 0.9277 - 3.6224 / (b - 2.0);
    for (lz_u32 attempt = 0; attempt < LZ_ATTEMPTS; ++attempt) {
        lz_u32x4 words = lz_attempt(word, attempt, 0);
        double u = lz_open_unit(words, 0) - 0.5, v = lz_open_unit(words, 1);
        double edge = 0.5 - fabs(u);
        double k = floor((2.0 * a / edge + b) * u + mean + 0.43);
        if (edge >= 0.07 && v <= inner) return k;
        if (k < 0.0 || (edge < 0.013 && v > edge)) continue;
        double left = log(v) + ln_inverse - log(a / (edge * edge) + b);
        if (left <= k * ln_mean - mean - lgamma(k + 1.0)) return k;
    }
    return floor(mean);
}
LZ_FN double lz_sample_poisson(double mean, lz_u64 word) {
    if (!(mean >= 0.0 && mean < lz_infinity<double>())) return -1.0;
    if (mean >= 10.0) return lz_poisson_of_large(mean, word);
    double u = lz_open_unit(lz_attempt(word, 0, 0), 0);
    double term = exp(-mean), sum = term, k = 0.0;
    for (int turn = 0; turn < LZ_ATTEMPTS && u > sum; ++turn) {
        k += 1.0;
        term *= mean / k;
        sum += term;
    }
    return k;
}

LZ_FN double lz_binomial_of_many(double n, double p, lz_u64 word) {
    double q = 1.0 - p;
    double spread = sqrt(n * p * q);
    double b = 1.15 + 2.53 * spread;
    double a = -0.0873 + 0.0248 * b + 0.01 * p;
    double centre = n * p + 0.5;
    double inner = 0.92 - 4.2 / b;
    double alpha = (2.83 + 5.1 / b) * spread;
    double ln_odds = log(p / q);
    double mode = floor((n + 1.0) * p);
    double peak = lgamma(mode + 1.0) + lgamma(n - mode + 1.0);
    for (lz_u32 attempt = 0; attempt < LZ_ATTEMPTS; ++attempt) {
        lz_u32x4 words = lz_attempt(word, attempt, 0);
        double u = lz_open_unit(words, 0) - 0.5, v = lz_open_unit(words, 1);
        double edge = 0.5 - fabs(u);
        double k = floor((2.0 * a / edge + b) * u + centre);
        if (edge >= 0.07 && v <= inner) return k;
        if (k < 0.0 || k > n) continue;
        double left = log(v * alpha / (a / (edge * edge) + b));
        double right = peak - lgamma(k + 1.0) - lgamma(n - k + 1.0);
        if (left <= right + (k - mode) * ln_odds) return k;
    }
    return mode;
}
LZ_FN double lz_binomial_of_few(double n, double p, lz_u64 word) {
    double u = lz_open_unit(lz_attempt(word, 0, 0), 0);
    double odds = p / (1.0 - p);
    double term = exp(n * log1p(-p)), sum = term, k = 0.0;
    for (int turn = 0; turn < LZ_ATTEMPTS && u > sum && k < n; ++turn) {
        k += 1.0;
        term *= odds * (n - k + 1.0) / k;
        sum += term;
    }
    return k;
}
LZ_FN double lz_sample_binomial(double n, double p, lz_u64 word) {
    if (!(n >= 0.0 && n < lz_infinity<double>() && p >= 0.0 && p <= 1.0)) return -1.0;
    n = floor(n);
    double rarer = p > 0.5 ? 1.0 - p : p;
    double k = n * rarer < 10.0 ? lz_binomial_of_few(n, rarer, word)
                                : lz_binomial_of_many(n, rarer, word);
    return p > 0.5 ? n - k : k;
}
