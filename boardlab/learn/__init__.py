"""Learning by self-play: TD-FARL episodes, eligibility, step-size rules, schedules."""
