"""Sound and rumble: impacts ring, sliding contacts hiss, joints with friction creak."""
