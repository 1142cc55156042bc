// SPDX-License-Identifier: Apache-2.0
import Base

/// What one device has sent: its answers, log, recordings and files, and what was wrong with them; a part of
/// the participant's page.
struct DeviceCard {
    let device: DeviceSummary
    /// Rules decide in a study of the participant: answers to their prompts are not among `answers`, and what else
    /// would tell how many there are is not shown.
    let isBlinded: Bool
    /// Newest first.
    let answers: [StoredRecord]
    /// Newest first, more of them than of the answers; nil = those of `answers` alone.
    let answerMarks: [Timeline.Mark]?
    /// Newest first; empty where `isBlinded`, since entries of the log would tell of prompts.
    let logMarks: [Timeline.Mark]
    /// What the device says of itself in its latest log record.
    let lastLog: StoredRecord?
    let logCounts: [LogCount]
    /// Newest first.
    let warned: [StoredRecord]
    /// Newest first, one page of them.
    let uploads: [Upload]
    /// The latest recordings, as their descriptions say.
    let recorded: [RecordedSpan]
    /// Nil where nothing is known of its recordings.
    let coverage: Coverage?
    /// How long the device was worn, for days of which there are recordings of features.
    let worn: [LocalDate: WornTime]
    /// Numbers of uploads of which there can be a drawing (`PreviewRoutes`).
    let drawn: Set<Int64>
    /// There are uploads before those of this page.
    let hasOlder: Bool
    let refusals: [RefusedPost]
    /// How many days the drawing of recordings has.
    var days = Actogram.days
    /// Rows of each list that are shown.
    let rows: Int
    let now: Instant

    var html: HTML {
        """
        <section class="card"><div class="top"><h2>\(device.user.isEmpty ? "(no id)" : device.user)</h2>
        <span class="\(isFresh ? "fresh" : "")" title="\(device.lastContact.shown()) UTC">last contact \(now.ago(device.lastContact))</span>
        <span>\(about)</span></div>\(facts)\(covered)\(Actogram(recorded, Actogram.Known(coverage), days: days, of: device.user).html(worn))\(timeline)\(sparks)\(answerTable)\(recordings.html)\(logTable)\(problems)</section>
        """
    }

    private var recordings: RecordingTable {
        RecordingTable(user: device.user, uploads: uploads, recorded: recorded, drawn: drawn, hasOlder: hasOlder)
    }

    private var isFresh: Bool { now - device.lastContact < .seconds(600) }

    private var about: String {
        let posts = (answers.prefix(1) + [lastLog].compactMap(\.self)).map(\.post)
        let studies = Set(posts.compactMap { $0["study_id"] }).sorted().map { "study \($0)" }
        return (studies + Set(posts.compactMap { $0["platform"] }).sorted()).joined(separator: " · ")
    }

    private var facts: HTML {
        var facts: [HTML] =
            isBlinded
            ? []
            : [
                "<li><b>\(device.answers)</b> \(device.answers == 1 ? "answer" : "answers") of schema or momenTUM received, voluntary ones too",
                "<li><b>\(device.logs)</b> log \(device.logs == 1 ? "entry" : "entries")",
            ]
        facts.append("<li><b>\(device.files)</b> \(device.files == 1 ? "file" : "files")")
        if device.partial > 0 { facts.append("<li><b>\(device.partial)</b> still arriving") }
        let latencies = PromptLatencies(answers, since: coverage?.since)
        if let (median, longest) = latencies.figures {
            facts.append(
                """
                <li>from prompt to answer <b>\(median.shown)</b> (median), <b>\(longest.shown)</b> at most
                """)
        }
        if latencies.unprompted > 0 {
            facts.append("<li><b>\(latencies.unprompted)</b> of them without a prompt of that day")
        }
        return "<ul class=\"facts\">\(facts)</ul>"
    }

    private var covered: HTML {
        guard let coverage else { return .none }
        let items = coverage.channels.map { channel -> HTML in
            let reasons = coverage.reasons(channel)
            return """
                <li\(coverage.isLow(channel) ? " class=\"bad\"" as HTML : .none)>\(channel.kind) <b>\(Percent.text(channel.stored, of: coverage.wall))</b>\(
                reasons.isEmpty ? "" : " (\(reasons))")
                """
        }
        let words = coverage.isSinceRecording ? "since the first recording" : "since the enrolment"
        return """
            <h3>Stored \(words), \(Duration.milliseconds(coverage.wall).shown)</h3><ul class="facts">\(items)</ul>
            """
    }

    // MARK: Charts

    private var timeline: HTML {
        let chart = Timeline(
            rows: [
                .init(name: "answers", colour: "var(--a)", marks: answerMarks ?? answers.map(Self.mark)),
                .init(name: "log", colour: "var(--b)", marks: logMarks),
                .init(
                    name: "recordings", colour: "var(--c)",
                    marks: recorded.map { .init(at: $0.start, isRepeated: false) }),
            ].filter { !$0.marks.isEmpty }, offset: offset)
        return chart.html
    }

    private static func mark(_ record: StoredRecord) -> Timeline.Mark {
        .init(at: record.post.writtenTime?.instant ?? record.received, isRepeated: record.duplicateOf != nil)
    }

    /// Of the device's clock, as the latest answer, log entry or recording says.
    private var offset: Int {
        let written = (answers.prefix(1) + [lastLog].compactMap(\.self)).compactMap(\.post.writtenTime)
        let known = written.map { ($0.instant, $0.offset) } + recorded.suffix(1).map { ($0.start, $0.offset) }
        return known.max { $0.0 < $1.0 }?.1 ?? 0
    }

    private var sparks: HTML {
        let series = Sparkline.series(answers.reversed().filter { $0.duplicateOf == nil }.map(\.post.responses))
        guard !series.isEmpty else { return .none }
        return "<h3>Numbers over time</h3><div class=\"sparks\">\(series.prefix(24).map(\.html))</div>"
    }

    // MARK: Tables

    private var answerTable: HTML {
        guard !answers.isEmpty else { return .none }
        return """
            <h3>Latest answers, in the device's own time</h3><div class="scroll" tabindex="0" role="region" aria-label="Latest answers"><table class="stack"><thead><tr><th scope="col">answered<th scope="col">module<th
            scope="col" class="wide">after<th scope="col">answers</thead><tbody>\(answers.prefix(rows).map(Self.answerRow))</tbody></table></div>\(more)
            """
    }

    private var more: HTML {
        let count = isBlinded ? answers.count : device.answers
        guard count > rows, rows < 100 else { return .none }
        let words = isBlinded ? "more" : "all \(count)"
        return "<p><a href=\"/?user=\(Page.percentEncoded(device.user))\">\(words) answers →</a></p>"
    }

    static func answerRow(_ record: StoredRecord) -> HTML {
        let time = record.post.writtenTime
        let given = record.post.responses.filter { ![.string(""), .null, .array([])].contains($0.value) }
        let open = record.post.responses.count - given.count
        return """
            <tr><td class="t">\(time.map { $0.instant.shown(offset: $0.offset) } ?? "")<td>\(Self.short(record.post["module_name"] ?? "", 60))
            <span class="none">\(record.post["module_index"] ?? "")</span><td class="t wide" data-name="after">\(record.latency?.shown ?? "–")<td>\(
            given.map { "<span class=\"q\"><i>\($0.name)</i> \(Self.shown($0.value))</span>" as HTML })
            \(open > 0 ? "<span class=\"none\">\(open) without answer</span>" as HTML : .none)\(Self.tags(record))</tr>
            """
    }

    private static func tags(_ record: StoredRecord) -> HTML {
        guard let first = record.duplicateOf else { return .none }
        return " <span class=\"tag dup\">duplicate of \(first)</span>"
    }

    private static func short(_ text: String, _ limit: Int) -> String {
        text.count > limit ? text.prefix(limit) + "…" : text
    }

    private static func shown(_ value: JSONValue) -> String {
        switch value {
        case .string(let text): short(text, 120)
        case .array(let values): values.map(shown).joined(separator: ", ")
        default: value.text
        }
    }

    private var logTable: HTML {
        guard !logCounts.isEmpty else { return .none }
        let items = logCounts.map { "<li>\($0.page) \($0.event) <b>\($0.count)</b>" as HTML }
        return "<h3>Log</h3><ul class=\"facts\">\(items)</ul>"
    }

    // MARK: Problems

    private var problems: HTML {
        let warned = warned.prefix(rows).map { record in
            "<li><span class=\"tag dup\">warning</span> record \(record.id): \(Self.short(record.warnings.joined(separator: "; "), 500))"
                as HTML
        }
        let repeated: HTML =
            device.duplicates == 0
            ? .none
            : """
            <li><span class="tag dup">duplicates</span> Records received more than once: \(device.duplicates). The device did not
            learn that they had arrived. The platform would store them again, and so does this server.
            """
        guard !refusals.isEmpty || !warned.isEmpty || device.duplicates > 0 else { return .none }
        return """
            <h3>Problems</h3><ul class="problems">\(refusals.prefix(rows).map { Self.line($0, now) })\(repeated)\(warned)</ul>
            """
    }

    private static func line(_ refusal: RefusedPost, _ now: Instant) -> HTML {
        "<li><span class=\"tag bad\">refused</span> \(now.ago(refusal.received)), \(refusal.path): \(refusal.reasons)"
    }

    /// A section with the refusals of devices of which nothing was taken yet.
    static func refusalsOfUnknownDevices(_ refusals: [RefusedPost], now: Instant) -> HTML {
        guard !refusals.isEmpty else { return .none }
        return """
            <section class="card"><h2>Refused, from unknown devices</h2><ul class="problems">\(refusals.map { line($0, now) })</ul></section>
            """
    }
}
