"""The kit that proves an agent right: `check.check_agent`."""
