"""What games, agents, evaluators and step-size rules have in common: `component` (a name, declared parameters, a text
form), `models` (parameters that are a pydantic model), `companion` (what belongs to a game besides its rules)."""
