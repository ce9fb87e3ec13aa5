"""Fields with units for bodies, joints, contacts and pairs; the picker of quantities."""
