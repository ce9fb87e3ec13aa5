"""Shared basics: input checks, options, plug-ins, warnings, frames."""
