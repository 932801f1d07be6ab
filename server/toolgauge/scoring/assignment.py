"""Which rows are paired with which columns so that the sum of gains is largest.

Knows nothing of calls: ``gains[row][column]`` is a positive integer where the two may be
paired, 0 where they may not. Integers of any size, so that equal sums are equal. Each row
and each column is paired at most once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf

Gains = Sequence[Sequence[int]]
Pairs = list[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Limits:
    """How many rows may be paired at most, by nested groups.

    ``groups`` gives each row's group: 0 is not limited; of groups 1 and 2 together at most
    ``outer`` rows are paired, of group 2 at most ``inner``.
    """

    groups: Sequence[int]
    inner: int
    outer: int

    def that_bind(self, columns: int) -> Limits:
        """Return the same limits without those that hold anyway, for so many columns."""
        rows = len(self.groups)
        outer = rows if self.outer >= columns else self.outer
        inner = rows if self.inner >= min(outer, columns) else self.inner
        return Limits(self.groups, inner, outer)

    @property
    def inner_surplus(self) -> int:
        """How many rows of group 2 are too many."""
        return max(0, self.groups.count(2) - self.inner)

    @property
    def outer_surplus(self) -> int:
        """How many more rows of groups 1 and 2 are too many, once ``inner`` holds."""
        return max(0, len(self.groups) - self.groups.count(0) - self.inner_surplus - self.outer)

    @property
    def budgets(self) -> int:
        """How many different remainders the limits can have while pairs are chosen."""
        inner = self.inner + 1 if self.inner_surplus else 1
        return inner * (self.outer + 1 if self.outer_surplus else 1)


def in_order(gains: Gains, limits: Limits) -> Pairs:
    """Return the best pairs that do not cross, in order.

    Dynamic programming from the end, one table per (row, column): the best sum with what
    is left of each limit. Time and memory: rows * columns * (limits that can be reached).

    >>> in_order([[0, 5], [4, 0], [0, 3]], Limits((0, 0, 0), 0, 0))
    [(1, 0), (2, 1)]
    """
    rows, columns = len(gains), len(gains[0]) if gains else 0
    budgets = _Budgets.of(limits.that_bind(columns))
    empty = [0] * budgets.size
    best = [[empty] * (columns + 1) for _ in range(rows + 1)]
    for row in reversed(range(rows)):
        step, allowed = budgets.steps[limits.groups[row]], budgets.allowed[limits.groups[row]]
        below, here = best[row + 1], best[row]
        for column in reversed(range(columns)):
            gain = gains[row][column]
            cell = list(map(max, below[column], here[column + 1]))
            if gain:
                beyond = below[column + 1]
                for budget in allowed:
                    cell[budget] = max(cell[budget], beyond[budget - step] + gain)
            here[column] = cell
    return _walk(gains, limits.groups, budgets=budgets, best=best)


def in_any_order(gains: Gains, limits: Limits) -> Pairs:
    """Return the best pairs, in order of rows.

    The Hungarian method. A limit becomes extra columns that only its rows may take, with
    a gain above all others, so that as many rows as are too many end there. Time: the
    shorter side squared times the longer one.

    >>> in_any_order([[3, 2], [2, 0]], Limits((0, 0), 0, 0))
    [(0, 1), (1, 0)]
    """
    columns = len(gains[0]) if gains else 0
    limits = limits.that_bind(columns)
    enough = 1 + sum(max(row, default=0) for row in gains)
    table = [
        [
            *row,
            *[enough * (group == 2)] * limits.inner_surplus,
            *[enough * (group > 0)] * limits.outer_surplus,
        ]
        for row, group in zip(gains, limits.groups, strict=True)
    ]
    is_tall = bool(table) and len(table) > len(table[0])
    if is_tall:
        table = [list(column) for column in zip(*table, strict=True)]
    chosen = enumerate(_hungarian(table))
    pairs = [(other, one) if is_tall else (one, other) for one, other in chosen]
    return sorted((r, c) for r, c in pairs if c < columns and gains[r][c])


@dataclass(frozen=True, slots=True)
class _Budgets:
    """What is left of the limits, as one number: ``left of inner * width + left of outer``.

    ``steps`` is how far a paired row of each group moves it, ``allowed`` from where that
    can be paid. Limits that hold anyway take no room in it.
    """

    size: int
    steps: tuple[int, int, int]
    allowed: tuple[Sequence[int], Sequence[int], Sequence[int]]

    @classmethod
    def of(cls, limits: Limits) -> _Budgets:
        if not limits.inner_surplus and not limits.outer_surplus:
            return cls(1, (0, 0, 0), ((0,), (0,), (0,)))
        size, one = limits.budgets, int(limits.outer_surplus > 0)
        width = limits.outer + 1 if one else 1
        two = one + (width if limits.inner_surplus else 0)
        within_outer = [left for left in range(size) if left % width >= one]
        return cls(
            size,
            (0, one, two),
            (range(size), within_outer, [left for left in within_outer if left >= two]),
        )


def _walk(
    gains: Gains, groups: Sequence[int], *, budgets: _Budgets, best: list[list[list[int]]]
) -> Pairs:
    """Return the pairs behind the best sum; of equal ones, those that come first."""
    row = column = 0
    budget = budgets.size - 1
    pairs: Pairs = []
    while best[row][column][budget]:
        value = best[row][column][budget]
        gain, group = gains[row][column], groups[row]
        if gain and budget in budgets.allowed[group]:
            left = budget - budgets.steps[group]
            if value == best[row + 1][column + 1][left] + gain:
                pairs.append((row, column))
                row, column, budget = row + 1, column + 1, left
                continue
        if value == best[row + 1][column][budget]:
            row += 1
        else:
            column += 1
    return pairs


@dataclass(frozen=True, slots=True)
class _Partial:
    """An assignment of the first rows, with the potentials that prove it best.

    Rows and columns count from 1; column 0 is where the path of a new row starts.
    """

    gains: Gains
    of_row: list[int]
    of_column: list[int]
    taken_by: list[int]


def _hungarian(gains: Gains) -> list[int]:
    """Return each row's column in a full assignment of the largest sum; rows <= columns.

    Shortest augmenting paths with potentials, after Jonker and Volgenant (1987).
    """
    rows, columns = len(gains), len(gains[0]) if gains else 0
    partial = _Partial(gains, [0] * (rows + 1), [0] * (columns + 1), [0] * (columns + 1))
    taken_by = partial.taken_by
    for row in range(1, rows + 1):
        taken_by[0] = row
        column, came_from = _nearest_free_column(partial)
        while column:
            taken_by[column] = taken_by[came_from[column]]
            column = came_from[column]
    column_of = {row: column for column, row in enumerate(taken_by[1:])}
    return [column_of[row] for row in range(1, rows + 1)]


def _nearest_free_column(partial: _Partial) -> tuple[int, list[int]]:
    """Return a column that nobody has and the way to it, and move the potentials along."""
    of_row, of_column, taken_by = partial.of_row, partial.of_column, partial.taken_by
    distance: list[float] = [0, *[inf] * (len(taken_by) - 1)]
    came_from = [0] * len(taken_by)
    unseen = list(range(1, len(taken_by)))
    seen: list[int] = []
    column = 0
    while taken_by[column]:
        seen.append(column)
        row = taken_by[column]
        line, so_far = partial.gains[row - 1], distance[column] - of_row[row]
        for other in unseen:
            reached = so_far - line[other - 1] - of_column[other]
            if reached < distance[other]:
                distance[other], came_from[other] = reached, column
        column = min(unseen, key=distance.__getitem__)
        unseen.remove(column)
    for each in seen:
        ahead = int(distance[column] - distance[each])
        of_row[taken_by[each]] += ahead
        of_column[each] -= ahead
    return column, came_from
