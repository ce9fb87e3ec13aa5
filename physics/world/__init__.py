"""The world: its tables of bodies, shapes, joints, materials; sleeping, events, snapshots, queries, validation."""
