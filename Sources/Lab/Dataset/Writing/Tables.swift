// SPDX-License-Identifier: Apache-2.0
import Base
import Exports

/// A row of a table, and the participant it belongs to, whose code is the first column.
package struct Of<Value> {
    package let participant: Participant
    package let value: Value

    package init(_ participant: Participant, _ value: Value) { (self.participant, self.value) = (participant, value) }
}

private func participant<Value>() -> Column<Of<Value>> {
    Column("participant", .string, "The participant's code.") { $0.participant.id }
}

private func enrolment<Value>(_ enrolment: @escaping @Sendable (Value) -> String?) -> Column<Of<Value>> {
    Column("enrolment", .string, "The device's name of the enrolment; missing where it is unknown.") {
        enrolment($0.value)
    }
}

/// The tables of a dataset, each with its columns: the contract of docs/dataset.md. `TableSet` writes them.
/// `moments` and `offset` (Column.swift) make the columns of times.
package enum Tables {
    /// The version of the contract, which `datapackage.json` has.
    package static let version = 1

    package static let prompts = DatasetTable<Of<StudyPrompt>>(
        "prompts", "Every prompt of the study that is over, with its one outcome.",
        key: ["participant", "enrolment", "prompt"],
        groups: [
            [
                participant(), enrolment(\.enrolment),
                Column("prompt", .string, "The device's name of the prompt.") { $0.value.occurrence },
                Column("task", .string, "The task's name in the study.") { $0.value.task },
            ],
            moments("due", "When it was due") { $0.value.due },
            moments("presented", "When its signal was given; missing where it never was") { $0.value.presented },
            moments("opened", "When its questions were opened for the first time") { $0.value.opened },
            moments("ended", "When it ended, or the device saw that at its next start") { $0.value.ended },
            [
                offset("when it was due") { $0.value.due },
                Column("outcome", .string, "completed, expired, missed, declined or interrupted.") { $0.value.outcome },
                Column("reason", .string, "Why it was missed; not-signalled: it was open without a signal.") {
                    $0.value.reason
                },
                Column("counts", .boolean, "It is part of what compliance is a share of.") { $0.value.counts.cell },
                Column("presses", .integer, "Presses of buttons for its answers; missing where unknown.") {
                    $0.value.presses.isEmpty ? nil : String($0.value.presses.values.reduce(0, +))
                },
                Column("clock_error_s", .number, "How far off its times can be, one side.", unit: "s") {
                    $0.value.clockError?.cell
                },
            ],
        ])

    /// A submission, and one of its answers.
    package struct AnswerRow {
        let submission: StudySubmission
        let answer: StudySubmission.Answer
        let label: String?
    }

    private static func submission<Value>(
        _ submission: @escaping @Sendable (Value) -> StudySubmission
    ) -> [Column<Of<Value>>] {
        let groups: [[Column<Of<Value>>]] = [
            [
                participant(),
                Column("submission", .string, "What was submitted at once has one name.") { submission($0.value).id },
                enrolment { submission($0).enrolment },
                Column("task", .string, "The task's name in the study.") { submission($0.value).task },
                Column("task_name", .string, "The task's title.") { submission($0.value).taskName },
                Column("prompt", .string, "The prompt that it answers, in prompts.csv; missing where there is none.") {
                    submission($0.value).prompt
                },
            ],
            moments("due", "When the prompt was due") { submission($0.value).due },
            moments("presented", "When the prompt's signal was given") { submission($0.value).presented },
            moments("opened", "When its questions were opened for the first time") { submission($0.value).opened },
            moments("answered", "When it was submitted") { submission($0.value).answered },
            [
                offset("when it was submitted") { submission($0.value).answered },
                Column("received_utc", .utc, "When it arrived, by the lab's clock.") {
                    submission($0.value).received.map { StudyTime($0, offset: nil).utc }
                },
                Column("clock_error_s", .number, "How far off answered can be, one side; missing = unknown.", unit: "s")
                {
                    submission($0.value).clockError?.cell
                },
            ],
            [
                Column("study_version", .string, "The study's version when it was answered; missing where unknown.") {
                    submission($0.value).studyVersion
                },
                Column(
                    "task_version", .string,
                    "The questions' version in codebook.csv: of ESMira the study's, of FDA MyStudies the activity's."
                ) {
                    submission($0.value).taskVersion
                },
            ],
        ]
        return groups.flatMap(\.self)
    }

    /// One column for each of these questions.
    package static func answers(_ items: [String]) -> DatasetTable<Of<StudySubmission>> {
        let fixed: [Column<Of<StudySubmission>>] =
            submission { $0 } + [
                Column("presses", .integer, "Presses of buttons for all its answers; missing where unknown.") { row in
                    let known = row.value.answers.compactMap(\.presses)
                    return known.isEmpty ? nil : String(known.reduce(0, +))
                }
            ]
        let taken = Set(fixed.map(\.name))
        return DatasetTable(
            "answers", "What participants submitted: a row for each run of a task, a column for each question.",
            key: ["participant", "submission"],
            fixed
                + items.map { item in
                    Column(taken.contains(item) ? "item." + item : item, .any, "The answer to \(item).") { row in
                        row.value.answers.first { $0.item == item }?.value
                    }
                })
    }

    package static let longAnswers = DatasetTable<Of<AnswerRow>>(
        "answers-long", "The same with a row for each question.", key: ["participant", "submission", "item"],
        submission(\.submission) + [
            Column("item", .string, "The question's name in the study.") { $0.value.answer.item },
            Column("value", .string, "As it came; missing where it was not asked, or not answered.") {
                $0.value.answer.value
            },
            Column("label", .string, "What the value means in its task_version; missing where it is no level.") {
                $0.value.label
            },
            Column("presses", .integer, "Presses of buttons for it, when it was last asked; missing where unknown.") {
                $0.value.answer.presses?.cell
            },
        ])

    package static let compliance = DatasetTable<Of<ComplianceDay>>(
        "compliance", "Prompts by participant and day of the wall clock.", key: ["participant", "date"],
        [
            participant(), Column("date", .date, "The day on which they were due.") { $0.value.day.description },
            Column("due", .integer, "Prompts that are over and count.") { $0.value.due.cell },
            Column("completed", .integer, "Answered.") { $0.value.completed.cell },
            Column("late", .integer, "Of these, submitted more than 15 minutes after they were due.") {
                $0.value.late.cell
            },
            Column("expired", .integer, "Presented, and not answered in time.") { $0.value.expired.cell },
            Column("missed", .integer, "Not presented; the reasons are in prompts.csv.") { $0.value.missed.cell },
            Column("declined", .integer, "Declined by the participant.") { $0.value.declined.cell },
            Column("interrupted", .integer, "Begun and not finished.") { $0.value.interrupted.cell },
            Column(
                "not_counted", .integer,
                "Before the enrolment, without a signal, deleted, replaced, or the study was paused."
            ) {
                $0.value.notCounted.cell
            },
            Column("compliance", .number, "completed / due; missing where nothing was due.") { row in
                row.value.due == 0 ? nil : (Double(row.value.completed) / Double(row.value.due)).cell(4)
            },
        ])

    package static let recordings = DatasetTable<Of<StudyRecording>>(
        "recordings", "Every recording that is here, with what its description says.", key: ["path"],
        groups: [
            [
                participant(), enrolment(\.enrolment),
                Column("path", .string, "The file in this dataset.") {
                    "recordings/" + $0.value.place(of: $0.participant)
                },
                Column("description", .string, "Its description in this dataset; missing where there is none.") { row in
                    row.value.descriptionSource.map { _ in
                        "recordings/" + row.value.descriptionPlace(of: row.participant)
                    }
                },
                Column("device_number", .integer, "The device that recorded: a stable number.") {
                    $0.value.description?.deviceNumber.cell
                },
                Column("number", .integer, "The recording's number, never reused on a device.") {
                    $0.value.description?.number.cell
                },
                Column("kind", .string, "What is measured.") { $0.value.description?.kind },
                Column("identifier", .string, "The measure's name in the study.") { $0.value.description?.identifier },
                Column("format", .string, "cwa, csv, levels, flac, nmea, events.") { $0.value.description?.format },
                Column("task", .string, "The task that it was recorded for; missing in what is recorded all the time.")
                {
                    $0.value.description?.task?.task
                },
            ],
            moments("start", "Its first sample; missing while the clock is unknown") { $0.value.start },
            moments("end", "Its last sample") { $0.value.end },
            [
                offset("at its first sample") { $0.value.start },
                Column("seconds", .number, "From its first sample to its last.", unit: "s") { row in
                    row.value.description.flatMap { ($0.endUptime - $0.startUptime).cell(6) }
                },
                Column("clock", .string, "anchored, pending or unknown.") { $0.value.description?.clock.rawValue },
                Column("clock_error_s", .number, "How far off its UTC can be, one side.", unit: "s") {
                    $0.value.description?.clockError?.cell
                },
                Column("time_error_s", .number, "How far off a sample can be within it, one side.", unit: "s") {
                    $0.value.description?.timeError?.cell
                },
                Column("rate_hz", .number, "Measured samples per second; missing where there is no rate.", unit: "Hz") {
                    $0.value.description?.measuredRate?.cell
                },
                Column("nominal_rate_hz", .number, "Configured samples per second; 0 = none.", unit: "Hz") {
                    $0.value.description?.nominalRate.cell
                },
                Column("unit", .string, "What is counted in the next two columns.") {
                    $0.value.description?.countedUnit.rawValue
                },
                Column("stored", .integer, "How much is in the file.") { $0.value.description?.samplesStored.cell },
                Column("lost", .integer, "How much is missing, in it and directly around it.") { row in
                    row.value.description.map { _ in String(row.value.lost) }
                },
                Column("lost_why", .string, "By reason, in JSON.") { row in
                    row.value.description.map { description in
                        let reasons = description.samplesLost.sorted { $0.key < $1.key }
                        return JSONText.object(reasons.map { .init($0.key, .integer(Int64($0.value))) }).text
                    }
                },
                Column("coverage", .number, "stored / (stored + lost); missing where events are counted.") {
                    $0.value.share?.cell(6)
                },
                Column("gaps", .integer, "Gaps within it, which its description lists.") { row in
                    row.value.description.map { String($0.gaps.count + $0.gapsOmitted) }
                },
                Column("bytes", .integer, "Of the file.", unit: "B") { $0.value.bytes.cell },
                Column("sha256", .string, "Of the file.") { $0.value.sha256 },
            ],
        ])

    package static let coverage = DatasetTable<Of<CoverageDay>>(
        "coverage", "Recorded time against wall time, by participant, day and measure.",
        key: ["participant", "date", "kind"],
        [
            participant(),
            Column("date", .date, "A day of the wall clock, by the utc_offset of the recordings.") {
                $0.value.day.description
            },
            Column("kind", .string, "What is measured.") { $0.value.kind },
            Column(
                "wall_s", .number, "Of the day, from the enrolment to the participant's last recording, as asked for.",
                unit: "s"
            ) { $0.value.wall.cell(3) },
            Column("stored_s", .number, "Time with samples.", unit: "s") { $0.value.stored.cell(3) },
            Column("lost_s", .number, "Time within recordings without samples.", unit: "s") { $0.value.lost.cell(3) },
            Column("not_recorded_s", .number, "Between recordings: off, or a recording is missing.", unit: "s") {
                $0.value.notRecorded.cell(3)
            },
            Column("coverage", .number, "stored_s / wall_s.") { row in
                row.value.wall > 0 ? (row.value.stored / row.value.wall).cell(6) : nil
            },
        ])

    package static let epochs = DatasetTable<Of<EpochRow>>(
        "epochs", "What recordings say minute by minute; a minute without a sample has no row.",
        groups: [
            [
                participant(), enrolment(\.enrolment),
                Column("measure", .string, "The accelerometer's name in the study.") { $0.value.measure },
            ],
            moments("time", "The start of the minute") { $0.value.time }, [offset { $0.value.time }],
            [
                Column("enmo_g", .number, "Mean of max(|a| - 1 g, 0).", unit: "g") { $0.value.enmo?.cell(5) },
                Column("worn", .boolean, "The device was worn; missing where that cannot be said.") {
                    $0.value.isWorn?.cell
                },
                Column("coverage", .number, "The share of the minute with acceleration.") { row in
                    row.value.measure.flatMap { _ in row.value.coverage.cell(3) }
                },
            ],
            [
                Column("laeq_db", .number, "The mean energy of the sound, A-weighted.", unit: "dB") {
                    $0.value.level?.cell(2)
                },
                Column("sound", .integer, "0 quiet, 1 talk, 2 loud.") { $0.value.sound?.cell },
                Column("sound_coverage", .number, "The share of the minute with levels.") { row in
                    row.value.level.flatMap { _ in row.value.soundCoverage.cell(3) }
                },
            ],
            [
                Column("dwell_s", .number, "How long the person had been at the place.", unit: "s") {
                    $0.value.dwell?.cell(0)
                },
                Column("visit", .boolean, "That is at least 5 minutes.") { $0.value.isVisit?.cell },
                Column("position_coverage", .number, "The share of the minute with positions.") { row in
                    row.value.dwell.flatMap { _ in row.value.positionCoverage.cell(3) }
                },
            ],
        ])

    package static let wear = DatasetTable<Of<WearDay>>(
        "wear", "How long a device was worn, by participant and day, of the time that was recorded.",
        [
            participant(), enrolment(\.enrolment),
            Column("measure", .string, "The accelerometer's name in the study.") { $0.value.measure },
            Column("date", .date, "A day of the wall clock.") { $0.value.day.description },
            Column("worn_s", .number, "Worn.", unit: "s") { $0.value.worn.cell(0) },
            Column("not_worn_s", .number, "Not worn.", unit: "s") { $0.value.notWorn.cell(0) },
            Column("unknown_s", .number, "In hours of which too much is missing to say.", unit: "s") {
                $0.value.unknown.cell(0)
            },
        ])

    package static let positions = DatasetTable<Of<PositionRow>>(
        "positions", "The last valid position of each minute.",
        groups: [
            [participant(), enrolment(\.enrolment)], moments("time", "When") { $0.value.time },
            [offset { $0.value.time }],
            [
                Column("latitude", .number, "North of the equator, WGS 84.", unit: "deg") { $0.value.latitude.cell(7) },
                Column("longitude", .number, "East of Greenwich, WGS 84.", unit: "deg") { $0.value.longitude.cell(7) },
                Column("altitude_m", .number, "Above mean sea level; of three-dimensional fixes.", unit: "m") {
                    $0.value.altitude?.cell(1)
                },
                Column("hdop", .number, "Horizontal dilution of precision.") { $0.value.dilution?.cell(2) },
            ],
        ])

    package static let missing = DatasetTable<Of<MissingItem>>(
        "missing", "What is known to have been, and is not here.",
        [
            participant(), enrolment(\.enrolment),
            Column("date", .date, "The day on which it was produced; missing where unknown.") {
                $0.value.day?.description
            },
            Column("kind", .string, "recording, submission, memo, file, manifest, description or upload.") {
                $0.value.kind.rawValue
            },
            Column("name", .string, "What it is called.") { $0.value.name },
            Column("state", .string, "By the device's word: delivered, waiting, given up, deleted; else the lab's.") {
                $0.value.state
            },
            Column("why", .string, "Why it will not come; missing where nothing explains it.") { $0.value.why },
            Column("hole", .boolean, "Nothing explains that it is not here.") { $0.value.isHole.cell },
            Column("bytes", .integer, "Its size.", unit: "B") { $0.value.bytes?.cell },
            Column("sha256", .string, "Its digest.") { $0.value.sha256 },
        ])

    package static let clock = DatasetTable<Of<ClockNote>>(
        "clock", "What devices knew of the time: each anchor of UTC to their clock, once.",
        key: ["participant", "boot", "uptime_s"],
        [
            participant(), enrolment(\.enrolment),
            Column("boot", .string, "The boot that the uptime belongs to.") { $0.value.boot },
            Column("uptime_s", .number, "CLOCK_MONOTONIC.", unit: "s") { $0.value.anchor.uptime.cell },
            Column("time_utc", .utc, "What UTC was then.") { row in
                StudyTime(row.value.anchor.time).map { $0.utc }
            },
            Column("source", .string, "kernel, rtc, gps, vouched or simulated.") { $0.value.anchor.source },
            Column("uncertainty_s", .number, "One side.", unit: "s") { $0.value.anchor.uncertainty.cell },
            Column("carried_s", .number, "Since the source was heard last; missing = at that moment.", unit: "s") {
                $0.value.anchor.carried?.cell
            },
        ])

    package static let events = DatasetTable<Of<EventRow>>(
        "events", "Presses of buttons, and what the platform's app logs of itself.",
        groups: [
            [
                participant(), Column("source", .string, "button or app.") { $0.value.source },
            ],
            moments("time", "When; of a button, when it went down") { $0.value.time },
            [
                Column("name", .string, "The button, or the app's page.") { $0.value.name },
                Column("meaning", .string, "What the panel took the press for, or the app's event.") {
                    $0.value.meaning
                },
                Column("seconds", .number, "How long it was held; missing where that is unknown.", unit: "s") {
                    $0.value.seconds?.cell(6)
                },
                Column("repeats", .integer, "How often more the meaning was repeated while it was held.") {
                    $0.value.repeats?.cell
                },
                Column("uptime_s", .number, "CLOCK_MONOTONIC of the press.", unit: "s") { $0.value.uptime?.cell(6) },
                Column("boot", .string, "The boot that the uptime belongs to.") { $0.value.boot },
                Column("recording", .string, "The recording of buttons that it is from.") { $0.value.recording },
            ],
        ])

    package static let files = DatasetTable<Of<OtherFile>>(
        "files", "What came and is no recording.", key: ["participant", "path"],
        [
            participant(),
            Column("path", .string, "The file in this dataset.") { "files/" + $0.value.place(of: $0.participant) },
            Column("name", .string, "In the sender's words.") { $0.value.name },
            Column("kind", .string, "In the sender's words.") { $0.value.kind },
            Column("bytes", .integer, "Its size.", unit: "B") { $0.value.bytes.cell },
            Column("sha256", .string, "Its digest.") { $0.value.sha256 },
        ])

    package static let participants = DatasetTable<ParticipantRecord>(
        "participants", "Who took part, and how much of it is here.", key: ["participant"],
        groups: [
            [
                Column("participant", .string, "The participant's code.") { $0.participant.id },
                Column("enrolments", .integer, "Enrolments of devices in this name.") {
                    $0.participant.enrolments.count.cell
                },
                Column("devices", .string, "Numbers of the devices that recorded.") {
                    $0.devices.map(String.init).joined(separator: " ")
                },
                Column(
                    "zone", .string,
                    "Of the tz database: the last one that a device's own folder, or else a recording, names."
                ) {
                    $0.lastZone
                },
            ],
            moments("enrolled", "The first enrolment") { $0.participant.enrolments.compactMap(\.began).min() },
            [
                Column("prompts", .integer, "Prompts that are over and count; missing where no report came.") {
                    $0.isReported ? String($0.prompts.count { $0.counts }) : nil
                },
                Column("completed", .integer, "Of these, answered.") {
                    $0.isReported ? String($0.prompts.count { $0.counts && $0.isAnswered }) : nil
                },
                Column("submissions", .integer, "Rows in answers.csv.") { record in
                    String(record.submissions.count { $0.repeats == nil })
                },
                Column("recordings", .integer, "Rows in recordings.csv.") { $0.recordings.count.cell },
                Column("holes", .integer, "Rows in missing.csv that nothing explains.") { $0.holes.count.cell },
            ],
        ])

    package static let codebook = DatasetTable<Codebook.Item>(
        "codebook", "The questions in the study's own words: a row for each wording.",
        key: ["task", "item", "versions"],
        [
            Column("task", .string, "The task's name in the study.") { $0.task },
            Column("task_name", .string, "The task's title.") { $0.taskName },
            Column("item", .string, "The question's name, and its column in answers.csv.") { $0.item },
            Column("type", .string, "In the platform's word.") { $0.type },
            Column("words", .string, "As the participant is asked.") { $0.words },
            Column("levels", .string, "Values and what they mean, in JSON; missing where the answer is no choice.") {
                $0.levels.isEmpty
                    ? nil : JSONText.object($0.levels.map { .init($0.value, .string($0.words)) }).text
            },
            Column("minimum", .number, "The least value.") { $0.least?.cell },
            Column("maximum", .number, "The greatest value.") { $0.most?.cell },
            Column("required", .boolean, "It has to be answered.") { $0.isRequired ? "true" : "false" },
            Column(
                "versions", .string,
                """
                Every task_version that asks it so; 2.0~1 and 2.0~2, or ~1 and ~2, where files of one version, or of \
                none, differ; missing where no file names a version and all ask it so.
                """
            ) { $0.versions.joined(separator: " ") },
        ])

    package static let issues = DatasetTable<DatasetIssue>(
        "issues", "What an analyst has to know of these data and would not see.",
        [
            Column("participant", .string, "Missing where it is of no one.") { $0.participant },
            Column("kind", .string, "See docs/dataset.md.") { $0.kind.rawValue },
            Column("text", .string, "In words.") { $0.text },
        ])
}
