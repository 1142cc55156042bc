#!/usr/bin/env Rscript
# SPDX-License-Identifier: Apache-2.0
# The effect of treatment by weighted and centred least squares (Boruvka 2018, doi:10.1080/01621459.2017.1305274), as
# MRTAnalysis has it, of decisions.csv as it was exported: no column is changed.
#
#   wcls.R FOLDER decisions.csv ...       FOLDER: the sources of github.com/tqian/MRTAnalysis_R-package
#
# Prints file, rows, estimate, lower and upper limit of 95 %. Needs Debian's r-cran-geepack and r-cran-sandwich.
suppressMessages({ library(geepack); library(sandwich) })
arguments <- commandArgs(trailingOnly = TRUE)
for (name in c("preprocess_input.R", "wcls.R", "summary.wcls.R")) source(file.path(arguments[1], "R", name))
for (file in arguments[-1]) {
    decisions <- read.csv(file)
    # Rows whose outcome was not observed are not known to wcls.
    if (!all(decisions$outcome_observed == 1)) decisions <- subset(decisions, outcome_observed == 1)
    fit <- wcls(
        data = decisions, id = "id", outcome = "outcome", treatment = "treatment", rand_prob = "probability",
        moderator_formula = ~1, control_formula = ~day, availability = "available", numerator_prob = 0.4, verbose = FALSE)
    effect <- summary(fit)$causal_excursion_effect
    cat(file, nrow(decisions), format(effect[1, 1:3], digits = 6), "\n")
}
