// SPDX-License-Identifier: Apache-2.0
import Base

/// One day of a participant, by the participant's own clock: what was recorded, what was asked and answered,
/// what is missing; and a minute of signal. `PageRoutes` shows it at `/?user=ID&day=2026-11-25`.
struct DayPage {
    let user: String
    let day: LocalDate
    /// Minutes after midnight; nil = no signal is looked at.
    let minute: Int?
    /// Recordings of that day and of the days around it.
    let spans: [RecordedSpan]
    let known: Actogram.Known
    let prompts: [PromptOutcome]
    let answers: [StoredRecord]
    let files: [Int64: Upload]
    /// Whether a drawing of that file can be made (`PreviewRoutes`).
    let draws: (Upload) -> Bool
    /// Minutes after which an answer is late.
    let late: Int

    private static let rows = 500

    var html: HTML {
        """
        <section class="card"><div class="top"><h2><a href="\(address())">\(user.isEmpty ? "(no id)" : user)</a>, \(day.description)</h2>
        <span>\(weekday)</span></div><nav class="links" aria-label="Days"><a href="\(address(day.adding(days: -1)))">← \(day.adding(days: -1).description)</a> <a href="\(
        address(day.adding(days: 1)))">\(day.adding(days: 1).description) →</a></nav>\(drawing)\(signal)\(promptTable)\(answerTable)\(gapTable)</section>
        """
    }

    private func address(_ day: LocalDate? = nil, at minute: Int? = nil) -> String {
        var query = LabQuery()
        (query.user, query.day, query.minute) = (user, day, minute)
        return query.address()
    }

    private var weekday: String {
        ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"][(day.weekday - 1) % 7]
    }

    // MARK: The drawing

    private var rowsOfDay: [Actogram.Row] { Actogram(spans, known, days: .max).rows.filter { $0.day == day } }

    private var countedPrompts: [PromptOutcome] { prompts.filter { $0.localDay == day && $0.counts } }

    /// Rows of marks from midnight to midnight: prompts, answers, and each channel.
    private var drawing: HTML {
        let (channels, prompts, answers) = (rowsOfDay, countedPrompts, answers.compactMap(\.post.writtenTime))
        guard !channels.isEmpty || !prompts.isEmpty || !answers.isEmpty else {
            return "<p class=\"none\">Nothing is known of this day.</p>"
        }
        let asked = prompts.isEmpty ? HTML.none : promptLane(prompts)
        let given: HTML =
            answers.isEmpty
            ? .none
            : DayLanes.lane(
                "answers", words: Plural.of(answers.count, "answer"),
                shapes: DayLanes.marks(answers.map(\.minute), colour: "a"), end: "\(answers.count)")
        return """
            <div class="lanes">\(DayLanes.hours)\(asked)\(given)\(channels.map(Actogram.lane))</div><p class="none">Prompts: <i class="key a"></i>
            whole bar, answered; <i class="key c"></i> lower half, not answered; <i class="key bad"></i> upper half, missed (not presented, or the device was not worn). At the right,
            the part that is stored of the time until the last recording that is here.</p>
            """
    }

    private func promptLane(_ prompts: [PromptOutcome]) -> HTML {
        func minutes(_ fits: (PromptOutcome) -> Bool) -> [Int] {
            prompts.filter(fits).compactMap { PromptOutcome.minute($0.due) }
        }
        let answered = minutes(\.isAnswered)
        let missed = minutes { $0.outcome == "missed" }
        let other = minutes { !$0.isAnswered && $0.outcome != "missed" }
        return DayLanes.lane(
            "prompts",
            words: "\(answered.count) answered, \(other.count) not answered, \(missed.count) missed",
            shapes: """
                \(DayLanes.marks(answered, colour: "a"))\(DayLanes.marks(other, colour: "c", top: 8, height: 7))\(
                DayLanes.marks(missed, colour: "bad", top: 1, height: 7))
                """, end: "\(answered.count) of \(prompts.count)")
    }

    // MARK: The signal

    /// Recordings that hold that minute of the wall clock and can be drawn.
    private func drawn(at minute: Int) -> [(RecordedSpan, Upload)] {
        spans.compactMap { span in
            guard touches(span, minute * 60..<minute * 60 + 60), let file = span.upload.flatMap({ files[$0] }),
                draws(file), !PreviewRoutes.isTrack(file.name)
            else { return nil }
            return (span, file)
        }
    }

    private var signal: HTML {
        guard files.values.contains(where: draws) else { return .none }
        let hours = (0..<24).map { hour in
            "<a href=\"\(address(day, at: hour * 60))#signal\">\(hour.padded(2))</a> " as HTML
        }
        return """
            <h3 id="signal">A minute of signal</h3><nav class="clock" aria-label="Signal at the hour">\(hours)</nav>
            <form class="filters" action="/#signal" method="get"><input type="hidden" name="user" value="\(user)"><input type="hidden" name="day" value="\(
            day.description)"><label>At <input type="time" name="at" required value="\(LabQuery.clock(minute ?? 720))"></label><button>Show</button></form>\(
            minute.map(figures) ?? .none)
            """
    }

    private func figures(_ minute: Int) -> HTML {
        let drawings = drawn(at: minute).map { span, file -> HTML in
            let address: HTML = "/files/\(file.number)/preview"
            let words = "\(span.kind), one minute from \(LabQuery.clock(minute))"
            return """
                <figure class="signal"><figcaption>\(words) · <a href="\(address)">all of \(file.name)</a></figcaption><img alt="\(words)" src="\(
                address)?day=\(day.description)&amp;at=\(LabQuery.clock(minute))"></figure>
                """
        }
        let before =
            minute > 0
            ? "<a href=\"\(address(day, at: minute - 1))#signal\">← \(LabQuery.clock(minute - 1))</a> " as HTML : .none
        let after =
            minute < 1439
            ? "<a href=\"\(address(day, at: minute + 1))#signal\">\(LabQuery.clock(minute + 1)) →</a>" as HTML : .none
        let none: HTML = "<p class=\"none\">No recording of \(LabQuery.clock(minute)) that can be drawn is here.</p>"
        return """
            <nav class="links" aria-label="Minutes">\(before)\(after)</nav>\(drawings.isEmpty ? [none] : drawings)
            """
    }

    // MARK: Tables

    private var promptTable: HTML {
        let prompts = prompts.filter { $0.localDay == day }
        guard !prompts.isEmpty else { return .none }
        let rows = prompts.prefix(Self.rows).map { prompt -> HTML in
            let isLate = prompt.isAnswered && prompt.delay.map { $0 > .seconds(60 * late) } ?? false
            return """
                <tr><td class="t">\(Self.clock(prompt.due))<td>\(prompt.task)<td class="\(prompt.isAnswered ? "ok" : "bad")">\(
                PromptDay.words(prompt.ending))<td class="t" data-name="signal">\(prompt.presented.map(Self.clock) ?? "–")<td
                class="t" data-name="ended">\(prompt.ended.map(Self.clock) ?? "–")<td class="n" data-name="took">\(
                prompt.isAnswered ? prompt.delay?.shown ?? "–" : "–")\(isLate ? " <span class=\"tag dup\">late</span>" as HTML : .none)</tr>
                """
        }
        return """
            <h3>Prompts (<a href="/tables/prompts.csv?user=\(Page.percentEncoded(user))&amp;day=\(day.description)">CSV</a>)</h3><div class="scroll" tabindex="0" role="region" aria-label="Prompts"><table class="stack"><thead><tr><th scope="col">due<th scope="col">task<th
            scope="col">outcome and why<th scope="col">signal<th scope="col">ended<th scope="col" class="n">took</thead><tbody>\(rows)</tbody></table></div>
            """
    }

    private var answerTable: HTML {
        guard !answers.isEmpty else { return .none }
        let rows = answers.prefix(Self.rows).map(DeviceCard.answerRow)
        return """
            <h3>Answers (<a href="/tables/answers.csv?user=\(Page.percentEncoded(user))&amp;day=\(day.description)">CSV</a>)</h3><div class="scroll" tabindex="0" role="region" aria-label="Answers"><table class="stack"><thead><tr><th scope="col">answered<th
            scope="col">module<th scope="col" class="wide">after<th scope="col">answers</thead><tbody>\(rows)</tbody></table></div>
            """
    }

    private var gapTable: HTML {
        let rows = rowsOfDay.filter { $0.wall > 0 }.flatMap { row -> [HTML] in
            row.gaps.map { gap in
                """
                <tr><td>\(row.kind)<td class="t">\(DayLanes.words(gap))<td class="n">\(
                Duration.seconds(gap.count).shown)</tr>
                """
            } as [HTML]
        }
        let losing = spans.filter { touches($0, 0..<86_400) && $0.lost > 0 }
        let reasons = Set(losing.flatMap(\.reasons.keys)).sorted()
        let lost: HTML =
            reasons.isEmpty
            ? .none : "<p class=\"none\">Lost within recordings: \(reasons.joined(separator: ", ")).</p>"
        guard !rows.isEmpty else { return lost }
        return """
            <h3>Gaps of a minute and more, between recordings: the device was off, or a recording is missing</h3><div class="scroll" tabindex="0" role="region" aria-label="Gaps"><table><thead><tr><th
            scope="col">channel<th scope="col">from, to<th scope="col" class="n">length</thead><tbody>\(rows.prefix(Self.rows))</tbody></table></div>\(lost)
            """
    }

    /// Whether some of it was recorded in these seconds of the day, by the device's wall clock.
    private func touches(_ span: RecordedSpan, _ seconds: Range<Int>) -> Bool {
        let midnight = Int64(day.daysSinceEpoch) * 86_400
        let (start, end) = span.localSeconds
        return start < midnight + Int64(seconds.upperBound) && end > midnight + Int64(seconds.lowerBound)
    }

    /// `14:00:05` of a written time.
    private static func clock(_ text: String) -> String { String(text.dropFirst(11).prefix(8)) }
}
