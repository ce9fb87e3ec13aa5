"""Measurements that stand in notes and in the README; never asserted as wall-clock times."""
