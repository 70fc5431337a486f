"""What every part of the arena stands on: settings, the gate, errors, ids, event streams, the shape of requests."""
