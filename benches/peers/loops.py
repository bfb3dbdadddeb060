"""Loops that assign rows, columns or elements one after another, for every array module that assigns in place."""


def rows(xp, a):
    a = a.copy()
    for k in range(1, a.shape[0]):
        a[k] = a[k - 1] * 0.5 + a[k]
    return a


elements = rows


def gramschmidt(xp, a):
    a, columns = a.copy(), a.shape[1]
    r = xp.zeros((columns, columns))
    for k in range(columns):
        r[k, k] = xp.sqrt((a[:, k] * a[:, k]).sum())
        a[:, k] = a[:, k] / r[k, k]
        for j in range(k + 1, columns):
            r[k, j] = (a[:, k] * a[:, j]).sum()
            a[:, j] -= a[:, k] * r[k, j]
    return a


def lu(xp, a):
    a, n = a.copy(), a.shape[0]
    for i in range(n):
        for j in range(n):
            k = min(i, j)
            a[i, j] -= (a[i, :k] * a[:k, j]).sum()
            if j < i:
                a[i, j] /= a[j, j]
    return a


def seidel(xp, a, sweeps):
    a, n = a.copy(), a.shape[0]
    for _ in range(sweeps):
        for i in range(1, n - 1):
            a[i, 1:-1] += (
                a[i - 1, :-2]
                + a[i - 1, 1:-1]
                + a[i - 1, 2:]
                + a[i, 2:]
                + a[i + 1, :-2]
                + a[i + 1, 1:-1]
                + a[i + 1, 2:]
            )
            for j in range(1, n - 1):
                a[i, j] = (a[i, j] + a[i, j - 1]) / 9.0
    return a
