"""Other ecosystems: boardlab's games as environments of Gymnasium and PettingZoo and as games of OpenSpiel, and
OpenSpiel's as games of boardlab. Each module needs an extra, and nothing imports one that is not used."""
