"""Where agents meet: matches, and the evaluators that published results are measured with."""
