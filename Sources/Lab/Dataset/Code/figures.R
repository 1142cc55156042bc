# Compliance, actograms, ENMO per minute and answers over time, drawn from the files of this dataset alone.
#
#     Rscript code/figures.R [DATASET [FOLDER]]
#
# Reads a dataset in BIDS, and a Data Package. Writes PNG files to FOLDER, else to derivatives/figures. R itself is enough:
# no package is needed.

arguments <- commandArgs(trailingOnly = TRUE)
root <- if (length(arguments) > 0) arguments[1] else "."
folder <- if (length(arguments) > 1) arguments[2] else file.path(root, "derivatives", "figures")
dir.create(folder, recursive = TRUE, showWarnings = FALSE)

is_package <- file.exists(file.path(root, "datapackage.json"))

find <- function(pattern) sort(list.files(root, pattern, recursive = TRUE, full.names = TRUE))
wall_time <- function(text) as.POSIXct(sub("Z$", "", text), "%Y-%m-%dT%H:%M:%OS", tz = "UTC")

# ---- BIDS ----
read_table <- function(path) {
  read.delim(path, na.strings = "n/a", quote = "", check.names = FALSE, colClasses = "character")
}
subject_of <- function(path) sub(".*/(sub-[0-9A-Za-z]+)_.*", "\\1", path)
sidecar_text <- function(path, key) {
  line <- grep(paste0('^  "', key, '": "'), readLines(path, warn = FALSE), value = TRUE)
  if (length(line) == 0) NA else sub('^  "[^"]*": "(.*)",?$', "\\1", line[1])
}
bids_events <- function() {
  paths <- find("^sub-.*_task-dailylife_events\\.tsv$")
  events <- do.call(rbind, lapply(paths[basename(dirname(paths)) == "beh"], function(path) {
    cbind(subject = subject_of(path), read_table(path))
  }))
  if (!is.null(events)) events$local <- wall_time(ifelse(is.na(events$time_local), events$time, events$time_local))
  events
}
bids_prompts <- function(events) {
  not_asked <- c("before-enrolment", "deleted", "not-signalled", "replaced", "study-paused")
  events[events$trial_type == "prompt" & !(events$reason %in% not_asked), c("subject", "local", "outcome")]
}
bids_answers <- function(events) {
  rows <- events[events$trial_type == "answer", ]
  known <- match("clock_error", names(rows))
  questions <- setdiff(names(rows)[-seq_len(known)], "local")
  do.call(rbind, lapply(questions, function(question) {
    given <- rows[!is.na(rows[[question]]), ]
    data.frame(subject = given$subject, local = given$local, question = rep(question, nrow(given)), value = given[[question]])
  }))
}

# The sums and counts of max(0, |a| - 1 g) for each minute, of rows with the seconds that each was taken at.
minutes_of <- function(x, y, z, seconds) {
  enmo <- pmax(0, sqrt(x^2 + y^2 + z^2) - 1)
  good <- !is.na(enmo)
  rowsum(cbind(sum = enmo, count = 1)[good, , drop = FALSE], floor(seconds[good] / 60))
}
add_up <- function(parts) {
  parts <- do.call(rbind, parts)
  if (is.null(parts)) return(NULL)
  sums <- rowsum(parts, as.numeric(rownames(parts)))
  data.frame(minute = as.numeric(rownames(sums)), sum = sums[, "sum"], count = sums[, "count"])
}
bids_enmo <- function(path) {
  channels <- read_table(sub("_motion\\.tsv$", "_channels.tsv", path))
  axes <- which(channels$type == "ACCEL")
  latency <- which(channels$type == "LATENCY")
  scans <- read_table(file.path(dirname(dirname(path)), sub("_task-.*", "_scans.tsv", basename(path))))
  start <- as.numeric(wall_time(scans$acq_time[scans$filename == file.path("motion", basename(path))]))
  if (length(axes) != 3 || length(start) != 1 || is.na(start)) return(NULL)
  zone <- sidecar_text(sub("\\.tsv$", ".json", path), "Zone")
  connection <- file(path, "r")
  on.exit(close(connection))
  parts <- list()
  repeat {
    block <- scan(connection, rep(list(0), nrow(channels)), nlines = 200000, sep = "\t", na.strings = "n/a", quiet = TRUE)
    if (length(block[[1]]) == 0) break
    part <- minutes_of(block[[axes[1]]], block[[axes[2]]], block[[axes[3]]], start + block[[latency]])
    parts[[length(parts) + 1]] <- part
  }
  sums <- add_up(parts)
  if (is.null(sums)) return(NULL)
  wall <- wall_time(format(.POSIXct(sums$minute * 60, tz = "UTC"), "%Y-%m-%dT%H:%M:%S", tz = if (is.na(zone)) "UTC" else zone))
  data.frame(subject = subject_of(path), wall = wall, sums[c("sum", "count")])
}

# ---- A Data Package ----
read_csv <- function(name) {
  read.csv(file.path(root, name), na.strings = "", check.names = FALSE, colClasses = "character", encoding = "UTF-8")
}
package_prompts <- function() {
  rows <- read_csv("prompts.csv")
  rows <- rows[rows$counts == "true", ]
  data.frame(
    subject = rows$participant, local = wall_time(ifelse(is.na(rows$due_local), rows$due_utc, rows$due_local)), outcome = rows$outcome)
}
package_answers <- function() {
  rows <- read_csv("answers-long.csv")
  rows <- rows[!is.na(rows$value), ]
  # As in BIDS, a question's name that several tasks use gets the task before it.
  pairs <- unique(read_csv("codebook.csv")[c("task", "item")])
  is_shared <- rows$item %in% pairs$item[duplicated(pairs$item)]
  data.frame(
    subject = rows$participant, local = wall_time(ifelse(is.na(rows$answered_local), rows$answered_utc, rows$answered_local)),
    question = ifelse(is_shared, paste0(rows$task, ".", rows$item), rows$item), value = rows$value)
}
# Blocks of 512 bytes: openmovement, Docs/ax3/cwa.h. Their times are those of the wall clock.
package_enmo <- function(subject, path) {
  connection <- file(path, "rb")
  on.exit(close(connection))
  parts <- list()
  repeat {
    bytes <- readBin(connection, "raw", 512 * 5000)
    if (length(bytes) < 512) break
    blocks <- matrix(bytes[seq_len(512 * (length(bytes) %/% 512))], 512)
    blocks <- blocks[, blocks[1, ] == as.raw(0x41) & blocks[2, ] == as.raw(0x58), drop = FALSE]
    if (ncol(blocks) > 0) parts[[length(parts) + 1]] <- cwa_minutes(blocks)
  }
  sums <- add_up(parts)
  if (is.null(sums)) return(NULL)
  data.frame(subject = subject, wall = .POSIXct(sums$minute * 60, tz = "UTC"), sums[c("sum", "count")])
}
cwa_minutes <- function(blocks) {
  u16 <- function(place) as.integer(blocks[place + 1, ]) + 256 * as.integer(blocks[place + 2, ])
  stamp <- u16(14) + 65536 * u16(16)
  fraction <- u16(4)
  fraction <- ifelse(fraction >= 32768, (fraction - 32768) / 32768, 0)
  year <- 2000 + stamp %/% 2^26
  date <- as.Date(sprintf("%d-%02d-%02d", year, stamp %/% 2^22 %% 16, stamp %/% 2^17 %% 32), "%Y-%m-%d")
  start <- as.numeric(date) * 86400 + (stamp %/% 2^12 %% 32) * 3600 + (stamp %/% 2^6 %% 64) * 60 + stamp %% 64 + fraction
  code <- as.integer(blocks[25, ])
  rate <- 3200 / 2^(15 - code %% 16)
  packing <- as.integer(blocks[26, ])
  first <- u16(26)
  first <- ifelse(first >= 32768, first - 65536, first)
  unit <- 1 / 2^(8 + u16(18) %/% 8192)
  parts <- lapply(split(seq_len(ncol(blocks)), packing), function(own) {
    kind <- packing[own[1]]
    data <- blocks[31:510, own, drop = FALSE]
    if (kind == 0x30) {
      words <- matrix(readBin(as.vector(data), "integer", 120 * length(own), 4, endian = "little"), 120)
      words <- ifelse(words < 0, words + 2^32, words)
      axis <- function(shift) {
        value <- words %/% 2^shift %% 1024
        ifelse(value >= 512, value - 1024, value) * 2^(words %/% 2^30) / 256
      }
      axes <- list(axis(0), axis(10), axis(20))
    } else {
      width <- kind %/% 16
      values <- matrix(readBin(as.vector(data), "integer", 240 * length(own), 2, endian = "little"), 240)
      rows <- seq(0, 240 %/% width - 1) * width + if (width > 3) 3 else 0
      axes <- lapply(1:3, function(n) values[rows + n, , drop = FALSE] * rep(unit[own], each = length(rows)))
    }
    number <- row(axes[[1]])
    seconds <- rep(start[own], each = nrow(number)) + (number - 1 - rep(first[own], each = nrow(number))) / rep(rate[own], each = nrow(number))
    # A block may hold fewer samples than there is room for.
    seconds[number > rep(pmin(nrow(number), (u16(28))[own]), each = nrow(number))] <- NA
    keep <- !is.na(seconds)
    minutes_of(axes[[1]][keep], axes[[2]][keep], axes[[3]][keep], seconds[keep])
  })
  do.call(rbind, parts)
}

open_png <- function(name, width, height) {
  png(file.path(folder, name), width = width, height = height, units = "in", res = 120, type = "cairo")
}
# Twelve participants to a picture: compliance-r.png, compliance-2-r.png, ...
pictures <- function(name, subjects) {
  groups <- split(subjects, (seq_along(subjects) - 1) %/% 12)
  names(groups) <- paste0(name, ifelse(seq_along(groups) > 1, paste0("-", seq_along(groups)), ""), "-r.png")
  groups
}
# Every day from the first to the last; of a long time only those with something on them.
days_of <- function(days) {
  all <- seq(min(days), max(days), by = 1)
  if (length(all) > 62) sort(unique(days)) else all
}
close_png <- function(name) {
  invisible(dev.off())
  cat(file.path(folder, name), "\n")
}

# ---- What is drawn ----
if (is_package) {
  prompts <- package_prompts()
  answers <- package_answers()
  files <- read_csv("recordings.csv")
  files <- files[files$kind == "accelerometer" & files$format == "cwa" & is.na(files$task) & files$clock %in% "anchored", ]
  enmo <- do.call(rbind, Map(package_enmo, files$participant, file.path(root, files$path)))
} else {
  events <- bids_events()
  prompts <- if (!is.null(events)) bids_prompts(events)
  answers <- if (!is.null(events)) bids_answers(events)
  enmo <- do.call(rbind, lapply(find("_task-dailylife_.*_motion\\.tsv$"), bids_enmo))
}

# ---- Compliance: each participant's prompts by day and outcome ----
outcomes <- c(completed = "#0072B2", interrupted = "#56B4E9", declined = "#CC79A7", expired = "#E69F00", missed = "#D55E00")
if (NROW(prompts) > 0) {
  prompts$day <- as.Date(prompts$local)
  groups <- pictures("compliance", sort(unique(prompts$subject)))
  for (name in names(groups)) {
    longest <- max(tapply(prompts$day, prompts$subject, function(days) length(days_of(days))))
    open_png(name, min(30, max(7, 3 + 0.35 * longest)), 1.4 + 1.6 * length(groups[[name]]))
    par(mfrow = c(length(groups[[name]]), 1), mar = c(2.6, 4.2, 2.2, 9.5), mgp = c(2.6, 0.7, 0), las = 1, xpd = NA)
    for (subject in groups[[name]]) {
      own <- prompts[prompts$subject == subject, ]
      days <- days_of(own$day)
      counts <- table(factor(own$outcome, names(outcomes)), factor(as.character(own$day), as.character(days)))
      barplot(counts, col = outcomes, border = NA, names.arg = format(days, "%d %b"), ylab = "prompts", cex.names = 0.85,
        xlim = c(0, 1.2 * max(longest, 4)))
      share <- 100 * mean(own$outcome == "completed")
      title(sprintf("%s: %.0f %% of %d prompts answered", subject, share, nrow(own)), adj = 0, cex.main = 1)
      if (subject == groups[[name]][1]) {
        legend(par("usr")[2], par("usr")[4], rev(names(outcomes)), fill = rev(outcomes), border = NA, bty = "n", cex = 0.9)
      }
    }
    close_png(name)
  }
}

# ---- ENMO: mean of max(0, |a| - 1 g) for each minute of the wall clock ----
if (!is.null(enmo)) {
  # A minute may lie in two files.
  enmo <- aggregate(cbind(sum, count) ~ subject + wall, enmo, sum)
  enmo$mg <- 1000 * enmo$sum / enmo$count
  enmo$day <- as.Date(enmo$wall)
  subjects <- sort(unique(enmo$subject))
  most <- max(20, quantile(enmo$mg, 0.98))
  colours <- hcl.colors(64, "YlOrRd", rev = TRUE)

  # ---- Actogram: a line for each day ----
  groups <- pictures("actogram", subjects)
  for (name in names(groups)) {
    lists <- lapply(groups[[name]], function(subject) days_of(enmo$day[enmo$subject == subject]))
    heights <- 0.9 + 0.26 * lengths(lists)
    open_png(name, 9, sum(heights) + 0.2)
    layout(matrix(c(seq_along(lists), rep(length(lists) + 1, length(lists))), ncol = 2), widths = c(6, 1), heights = heights)
    par(mgp = c(2.4, 0.7, 0), las = 1)
    for (place in seq_along(lists)) {
      subject <- groups[[name]][place]
      days <- lists[[place]]
      own <- enmo[enmo$subject == subject, ]
      image <- matrix(NA, 1440, length(days))
      minute <- as.integer(format(own$wall, "%H")) * 60 + as.integer(format(own$wall, "%M")) + 1
      image[cbind(minute, match(own$day, days))] <- pmin(own$mg, most)
      par(mar = c(3, 5.2, 2.2, 0.5))
      plot(NA, xlim = c(0, 24), ylim = c(length(days) + 0.5, 0.5), xaxs = "i", yaxs = "i", axes = FALSE, xlab = "", ylab = "")
      rect(0, 0.5, 24, length(days) + 0.5, col = "grey92", border = NA)
      image((0:1440) / 60, seq(0.5, length(days) + 0.5), image, zlim = c(0, most), col = colours, add = TRUE)
      axis(1, seq(0, 24, 3), paste0(seq(0, 24, 3), " h"))
      axis(2, seq_along(days), format(days, "%a %d %b"), tick = FALSE, cex.axis = 0.85)
      title(paste0(subject, ": movement (grey: no recording)"), adj = 0, cex.main = 1.1)
    }
    par(mar = c(3, 1, 2.2, 4))
    image(1, seq(0, most, length.out = 65), matrix(seq_len(64), 1), col = colours, axes = FALSE, xlab = "", ylab = "")
    axis(4)
    mtext("ENMO in mg", 4, 2.6, las = 0, cex = 0.8)
    close_png(name)
  }

  # ---- ENMO over time, with the prompts ----
  groups <- pictures("enmo", subjects)
  for (name in names(groups)) {
    open_png(name, 10, 1 + 2.2 * length(groups[[name]]))
    par(mfrow = c(length(groups[[name]]), 1), mar = c(2.6, 4.4, 2.2, 9), mgp = c(2.8, 0.7, 0), las = 1, xpd = NA)
    for (subject in groups[[name]]) {
      own <- enmo[enmo$subject == subject, ]
      all <- data.frame(wall = seq(min(own$wall), max(own$wall), by = 60))
      all$mg <- own$mg[match(all$wall, own$wall)]
      plot(all$wall, all$mg, type = if (nrow(own) < 30) "o" else "l", pch = 20, col = "#444444", lwd = 0.7, xlab = "",
        ylab = "ENMO in mg", ylim = c(-0.08, 1) * max(all$mg, 1, na.rm = TRUE))
      asked <- if (NROW(prompts) > 0) prompts[prompts$subject == subject, ] else NULL
      asked <- asked[asked$local >= par("usr")[1] & asked$local <= par("usr")[2], ]
      for (outcome in unique(asked$outcome)) {
        rug(as.numeric(asked$local[asked$outcome == outcome]), ticksize = 0.06, col = outcomes[outcome], lwd = 2, quiet = TRUE)
      }
      title(paste0(subject, ": ENMO per minute; marks below are prompts"), adj = 0, cex.main = 1)
      if (subject == groups[[name]][1]) {
        legend(par("usr")[2], par("usr")[4], rev(names(outcomes)), fill = rev(outcomes), border = NA, bty = "n", cex = 0.9)
      }
    }
    close_png(name)
  }
}

# ---- Answers over time: questions with numbers for answers ----
numbers <- function(text) suppressWarnings(as.numeric(text))
questions <- Filter(function(name) !any(is.na(numbers(answers$value[answers$question == name]))), unique(answers$question))
if (length(questions) > 0) {
  subjects <- sort(unique(answers$subject))
  is_many <- length(subjects) > 8
  colours <- c("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#999999")
  palette <- setNames(rep(if (is_many) "grey75" else colours, length.out = length(subjects)), subjects)
  range <- range(answers$local)
  open_png("answers-r.png", 10, 1 + 1.9 * length(questions))
  par(mfrow = c(length(questions), 1), mar = c(2.6, 4.4, 2.2, 8), mgp = c(2.8, 0.7, 0), las = 1, xpd = NA)
  for (question in questions) {
    given <- answers[answers$question == question, ]
    given <- given[order(given$local), ]
    value <- as.numeric(given$value)
    plot(given$local, value, type = "n", xlim = range, ylim = range(value) + c(-0.2, 0.2), xlab = "", ylab = "answer")
    for (subject in subjects) {
      own <- given$subject == subject
      lines(given$local[own], value[own], type = "o", pch = 19, cex = if (is_many) 0.3 else 0.8, col = palette[subject])
    }
    if (is_many) {
      means <- tapply(value, as.Date(given$local), mean)
      lines(as.POSIXct(paste(names(means), "12:00"), tz = "UTC"), means, lwd = 3)
    }
    title(paste0(question, if (is_many) " (black: mean of the day)"), adj = 0, cex.main = 1)
    if (question == questions[1] && !is_many) {
      legend(par("usr")[2], par("usr")[4], subjects, col = palette, pch = 19, lty = 1, bty = "n", cex = 0.9)
    }
  }
  close_png("answers-r.png")
}
