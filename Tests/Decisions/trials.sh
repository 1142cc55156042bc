#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Trials with a planted effect, exported by study-receiver and given to wcls of R's MRTAnalysis: how many of its 95 %
# intervals hold the effect. The first argument is their number, the second the folder of its sources, the rest goes to trial.py.
set -euo pipefail
count=$1 sources=$2
shift 2
here=$(dirname "$0")
effect=25
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 "$here/trial.py" "$folder" --trials "$count" --effect $effect "$@"
for number in $(seq "$count"); do
    "${STUDY_RECEIVER:-.build/debug/study-receiver}" export --data "$folder/$number" -o "$folder/out-$number" --to csv --unblind >/dev/null
    python3 "$here/reading.py" "$folder/out-$number" | tail -1 >>"$folder/readings"
done
Rscript "$here/wcls.R" "$sources" $(seq -f "$folder/out-%.0f/decisions.csv" "$count") >"$folder/effects"
awk '{ decisions += $1 } END { print "read by docs/rules.md alone: " decisions " decisions" }' "$folder/readings"
awk -v effect=$effect '{ held += $4 <= effect && effect <= $5; sum += $3 }
    END { print held " of " NR " intervals hold the planted " effect "; mean of the estimates " sum / NR; exit held < 0.93 * NR }' "$folder/effects"
