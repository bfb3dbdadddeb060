"""Makes linalg.npz and linalg.json: linear algebra by NumPy and SciPy.

Run it in this folder with NumPy 2 and SciPy installed: python linalg.py
"""

import json

import numpy as np
import scipy.linalg

rng = np.random.default_rng(20)
arrays, einsums = {}, []


def real(*shape):
    return rng.standard_normal(shape)


def cplx(*shape):
    return real(*shape) + 1j * real(*shape)


def keep(name, **values):
    for key, value in values.items():
        arrays[f"{name}.{key}"] = np.asarray(value)


def sum_of_products(notation, *operands):
    k = len(einsums)
    einsums.append({"notation": notation, "operands": len(operands)})
    for i, a in enumerate(operands):
        arrays[f"einsum{k}.{i}"] = a
    arrays[f"einsum{k}.out"] = np.asarray(np.einsum(notation, *operands))


for kind, draw in [("real", real), ("complex", cplx)]:
    a, b = draw(5, 5), draw(5, 3)
    keep(f"{kind}.solve", a=a, b=b, x=np.linalg.solve(a, b), v=np.linalg.solve(a, b[:, 0]))
    keep(f"{kind}.inverse", x=np.linalg.inv(a), det=np.linalg.det(a))
    sign, log = np.linalg.slogdet(a)
    keep(f"{kind}.slogdet", sign=sign, log=log)
    batch = draw(2, 3, 4, 4)
    keep(f"{kind}.batch", a=batch, det=np.linalg.det(batch), inverse=np.linalg.inv(batch))
    rhs = draw(3, 4, 2)
    keep(f"{kind}.batch", b=rhs, x=np.linalg.solve(batch, rhs))
    positive = a @ a.conj().T + np.eye(5)
    keep(f"{kind}.cholesky", a=positive, l=np.linalg.cholesky(positive))
    keep(f"{kind}.eigh", w=np.linalg.eigvalsh(positive))
    w = np.linalg.eigvals(a)
    keep(f"{kind}.eig", w=w[np.lexsort((w.imag, w.real))].astype(complex))
    for name, shape in [("tall", (6, 4)), ("wide", (4, 6)), ("line", (1, 5))]:
        m = draw(*shape)
        keep(f"{kind}.{name}", a=m, s=np.linalg.svd(m, compute_uv=False), pinv=np.linalg.pinv(m))
        y = draw(shape[0], 2)
        x = np.linalg.lstsq(m, y, rcond=None)[0]
        keep(f"{kind}.{name}", b=y, x=x)
    low = draw(6, 2) @ draw(2, 4)
    y = draw(6)
    x, _, rank, s = np.linalg.lstsq(low, y, rcond=None)
    keep(f"{kind}.low", a=low, b=y, x=x, rank=rank, s=s, pinv=np.linalg.pinv(low, rtol=1e-12))
    triangle = draw(5, 5) + 4 * np.eye(5)
    y = draw(5, 2)
    solved = {
        "lower": scipy.linalg.solve_triangular(triangle, y, lower=True),
        "upper": scipy.linalg.solve_triangular(triangle, y),
        "unit": scipy.linalg.solve_triangular(triangle, y, lower=True, unit_diagonal=True),
    }
    keep(f"{kind}.triangular", a=triangle, b=y, **solved)
    for k, size in enumerate([0.01, 1.0, 30.0]):
        m = draw(4, 4) * size / 4
        keep(f"{kind}.expm{k}", a=m, x=scipy.linalg.expm(m))
    m = draw(3, 4)
    orders = ["fro", "nuc", 1, -1, 2, -2, np.inf, -np.inf]
    keep(f"{kind}.norms", a=m, x=[np.linalg.norm(m, o) for o in orders])
    conds = ["fro", "nuc", 1, -1, 2, -2, np.inf, -np.inf]
    keep(f"{kind}.conds", x=[np.linalg.cond(a, o) for o in conds])
    keep(f"{kind}.kron", a=draw(2, 3), b=draw(4, 1, 2))
    keep(f"{kind}.kron", x=np.kron(arrays[f"{kind}.kron.a"], arrays[f"{kind}.kron.b"]))
    p, q = draw(2, 3, 4), draw(5, 4, 6)
    keep(f"{kind}.dot", a=p, b=q, x=np.dot(p, q), inner=np.inner(p, draw(5, 4) * 0 + q[:, :, 0]))
    keep(f"{kind}.tensordot", x=np.tensordot(p, q, ([2], [1])))
    t = draw(3, 4, 2)
    keep(f"{kind}.tensordot2", b=t, x=np.tensordot(p, t, ([1, 2], [0, 1])))
    keep(f"{kind}.vecdot", a=draw(4, 3), b=draw(3))
    keep(f"{kind}.vecdot", x=np.linalg.vecdot(arrays[f"{kind}.vecdot.a"], arrays[f"{kind}.vecdot.b"]))
    keep(f"{kind}.trace", x=np.trace(batch, offset=1, axis1=-2, axis2=-1))
    keep(f"{kind}.power", x=np.linalg.matrix_power(batch, 5))

for notation, *shapes in [
    ("ij,jk->ik", (3, 4), (4, 5)),
    ("ij,jk", (3, 4), (4, 5)),
    ("ij,kj->ki", (3, 4), (5, 4)),
    ("ji,jk->ik", (4, 3), (4, 5)),
    ("bij,bjk->bik", (2, 3, 4), (2, 4, 5)),
    ("bhqd,bhkd->bhqk", (2, 3, 4, 5), (2, 3, 6, 5)),
    ("bqhd,bkhd->bhqk", (2, 4, 3, 5), (2, 6, 3, 5)),
    ("...ij,...jk->...ik", (2, 1, 3, 4), (6, 4, 5)),
    ("...ij,...jk", (2, 3, 4), (4, 5)),
    ("i,i->", (7,), (7,)),
    ("i,j->ij", (3,), (4,)),
    ("i,j->ji", (3,), (4,)),
    ("ij->ji", (3, 4)),
    ("ij->", (3, 4)),
    ("ij->j", (3, 4)),
    ("ii", (4, 4)),
    ("ii->i", (4, 4)),
    ("iij->ji", (3, 3, 4)),
    ("iii->i", (3, 3, 3)),
    ("ij,ij->ij", (3, 4), (3, 4)),
    ("ij,ij->i", (3, 4), (3, 4)),
    ("ijk,ilm,njm,nlk,abc->", (2, 3, 4), (2, 5, 6), (7, 3, 6), (7, 5, 4), (2, 2, 2)),
    ("ij,jk,kl,lm->im", (3, 9), (9, 2), (2, 8), (8, 4)),
    ("a,b,c->abc", (2,), (3,), (4,)),
    ("ea,fb,abcd,gc,hd->efgh", (3, 4), (3, 4), (4, 4, 4, 4), (3, 4), (3, 4)),
    ("ij,j->i", (3, 4), (4,)),
    ("i,ij->j", (3,), (3, 4)),
    ("ijk,k->ij", (2, 3, 4), (4,)),
    ("i...,i...->...", (3, 2, 4), (3, 4)),
    ("...,...->...", (2, 3), (3,)),
    ("ijkl,klmn->ijmn", (2, 3, 4, 5), (4, 5, 3, 2)),
    ("ijkl,mnkl->mnij", (2, 3, 4, 5), (3, 2, 4, 5)),
    ("kli,klj->ij", (4, 5, 3), (4, 5, 2)),
    (",ij->ij", (), (2, 3)),
    ("ij,ik,il->jkl", (5, 2), (5, 3), (5, 4)),
    ("  i j , j k -> i k ", (2, 3), (3, 2)),
]:
    sum_of_products(notation, *(real(*shape) for shape in shapes))

np.savez_compressed("linalg.npz", **arrays)
with open("linalg.json", "w") as file:
    json.dump(einsums, file, indent=1)
    file.write("\n")
