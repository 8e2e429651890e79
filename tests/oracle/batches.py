"""Documents dealt out in batches, those that questions tie together always in one."""

from __future__ import annotations


def deal(documents, questions, characters):
    """Give batches of names, and the numbers of the questions of each.

    `documents` are pairs of name and length, in order; `questions` are the names that each asks about. Documents that
    a question ties together, directly or through others, come when the last of them is read. A batch is full as soon
    as it has so many characters; without any number, all documents are one.
    """
    groups = [{name} for name, _ in documents]
    for names in questions:
        tied = [group for group in groups if group & set(names)]
        groups = [group for group in groups if group not in tied] + [set().union(*tied)]
    order = [name for name, _ in documents]
    lengths = dict(documents)
    batches, batch = [], []
    for group in sorted(groups, key=lambda group: max(map(order.index, group))):
        batch += sorted(group, key=order.index)
        if characters is not None and sum(lengths[name] for name in batch) >= characters:
            batches.append(batch)
            batch = []
    if batch or not batches:
        batches.append(batch)
    return [(found, [number for number, names in enumerate(questions) if set(names) & set(found)]) for found in batches]
