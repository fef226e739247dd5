"""Adds up the events of a run of the ledger's bench again, and compares the ledger's figures with the sums.

It makes the events itself (events.ts), and shares no code with the ledger. Usage: oracle.py plan.json figures.jsonl
"""

import json
import sys
from datetime import datetime, timedelta, timezone
from multiprocessing import Pool
from zoneinfo import ZoneInfo

QUANTITIES = [
    ("searches", 2),
    ("answers", 2),
    ("media_hours", 7_200_000),
    ("document_megabytes", 20_000_000),
    ("source_bytes", 1_000_000_000),
    ("delivery_gb", 4_000_000_000),
    ("upload_gb", 4_000_000_000),
    ("encoding_minutes", 3_600_000),
]
WORD = 0xFFFFFFFF


def mixed(seed, event, purpose):
    value = (event * 0x9E3779B1 + purpose * 0x85EBCA6B + seed) & WORD
    value = ((value ^ (value >> 16)) * 0x7FEB352D) & WORD
    value = ((value ^ (value >> 15)) * 0x846CA68B) & WORD
    return value ^ (value >> 16)


def month_after(month, months=1):
    number = int(month[:4]) * 12 + int(month[5:]) - 1 + months
    return f"{number // 12:04d}-{number % 12 + 1:02d}"


def begin_of(month):
    return int(datetime(int(month[:4]), int(month[5:]), 1, tzinfo=timezone.utc).timestamp())


class Months:
    """The calendar month of an instant in a time zone. Offsets of the zones here change on full hours."""

    def __init__(self, name):
        self.zone = ZoneInfo(name)
        self.offsets = {}
        self.months = {}

    def of(self, seconds):
        hour = seconds // 3600
        offset = self.offsets.get(hour)
        if offset is None:
            at = datetime.fromtimestamp(hour * 3600, timezone.utc).astimezone(self.zone)
            offset = self.offsets[hour] = int(at.utcoffset().total_seconds())
        day = (seconds + offset) // 86400
        month = self.months.get(day)
        if month is None:
            date = datetime(1970, 1, 1) + timedelta(days=day)
            month = self.months[day] = f"{date.year:04d}-{date.month:02d}"
        return month


def of_phase(task):
    """The sums of the events of one phase: by organization, month and metric, and by statement, month and metric."""
    plan, phase = task
    seed, accounts, organizations = plan["seed"], plan["accounts"], len(plan["organizationIds"])
    per_phase = plan["events"] // plan["months"]
    utc = Months("UTC")
    zones = [Months(account["timeZone"]) for account in accounts]
    month = month_after(plan["firstMonth"], phase)
    following = month_after(month)
    begins = begin_of(month)
    seconds = begin_of(following) - begins
    has_late = phase < plan["months"] - 1
    used, charged = {}, {}
    for event in range(phase * per_phase, (phase + 1) * per_phase):
        organization = mixed(seed, event, 2) % organizations
        account = organization % len(accounts)
        metric, below = QUANTITIES[mixed(seed, event, 3) % len(QUANTITIES)]
        huge = mixed(seed, event, 9) % 1000 == 0
        quantity = 2**53 - 1 if huge else mixed(seed, event, 4) % below
        at = begins + mixed(seed, event, 5) % seconds
        own = (utc if metric == "delivery_gb" else zones[account]).of(at)
        delivered = following if has_late and mixed(seed, event, 6) % 50 == 0 else month
        key = (organization, own, metric)
        known = used.get(key, (0, 0))
        used[key] = (known[0] + quantity, known[1] + 1)
        # What is delivered when its month is closed is charged on the statement of the month of its delivery.
        on = own if delivered <= own else delivered
        key = (account, on, own, metric)
        charged[key] = charged.get(key, 0) + quantity
    return used, charged


def expected(plan):
    """All sums: by account, organization or None for all of them, month and metric, and by statement."""
    rolled, charged = {}, {}
    with Pool() as pool:
        for used, on_statements in pool.imap_unordered(of_phase, [(plan, phase) for phase in range(plan["months"])]):
            for (organization, own, metric), (quantity, events) in used.items():
                for who in (organization, None):
                    key = (organization % len(plan["accounts"]), who, own, metric)
                    known = rolled.get(key, (0, 0))
                    rolled[key] = (known[0] + quantity, known[1] + events)
            for key, quantity in on_statements.items():
                charged[key] = charged.get(key, 0) + quantity
    return rolled, charged


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        plan = json.load(file)
    rolled, charged = expected(plan)
    wanted = {}
    for (account, who, month, metric), (quantity, events) in rolled.items():
        place = "account" if who is None else plan["organizationIds"][who]
        wanted[f"used {plan['accounts'][account]['id']} {place} {month} {metric}"] = f"{quantity} {events}"
    for (account, on, own, metric), quantity in charged.items():
        if on in plan["closed"]:
            wanted[f"charged {plan['accounts'][account]['id']} {on} {own} {metric}"] = str(quantity)
    found = {}
    with open(sys.argv[2], encoding="utf-8") as file:
        for line in file:
            place, value = json.loads(line)
            found[place] = value
    places = wanted.keys() | found.keys()
    differing = sorted(place for place in places if wanted.get(place, "0") != found.get(place, "0"))
    shown = [[place, wanted.get(place), found.get(place)] for place in differing[:10]]
    print(json.dumps({"compared": len(places), "differing": len(differing), "shown": shown}))


if __name__ == "__main__":
    main()
