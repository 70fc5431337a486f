"""Reports on sweeps: `measures` makes numbers of learning curves, `statistics` of several runs, `figures`,
`curve_figures` and `setting_figures` draw them, `tables` and `page` show them, `report` puts all into a folder."""
