// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// The step results of one run, field by field as the Response server reads them; `MyStudiesWire` sends them.
struct MyStudiesResults {
    /// One step's result; `value` is nil where it was skipped.
    struct Result {
        let type: String
        let key: String
        let began: Instant
        let ended: Instant
        let value: JSONText?
        /// Members about how an active task was done, which no app sends. LabKey's server ignores unknown
        /// members of a result (`SurveyResult`), and so does Spring's reader.
        var conditions: [JSONText.Member] = []
    }

    let all: [Result]
    /// The run has an active task: it is sent as a `task`, else as a `questionnaire`.
    let isActive: Bool
    let began: String
    let ended: String
    private let zone: Zone

    init(_ submission: Submission, in context: WireContext) {
        zone = context.zone
        let steps = context.study.task(submission.task)?.content.steps ?? []
        var reading = Reading(submission: submission, zone: context.zone, steps: steps)
        all = reading.results()
        isActive = steps.contains { if case .active = $0.format { true } else { false } }
        let times = submission.times.values
        began = Self.time(times.map(\.presented).min() ?? submission.submitted, in: zone)
        ended = Self.time(submission.submitted, in: zone)
    }

    /// `2017-05-03T16:14:40.000+0000`.
    private static func time(_ instant: Instant, in zone: Zone) -> String {
        let text = instant.rfc3339(in: zone, fractionDigits: 3)
        if text.hasSuffix("Z") { return text.dropLast() + "+0000" }
        return text.dropLast(3) + String(text.suffix(2))
    }

    func json(_ result: Result) -> JSONText {
        .object(Self.members(result, value: result.value, in: zone) + result.conditions)
    }

    private static func members(_ result: Result, value: JSONText?, in zone: Zone) -> [JSONText.Member] {
        JSONText.members([
            "resultType": .string(result.type), "key": .string(result.key),
            "startTime": .string(time(result.began, in: zone)), "endTime": .string(time(result.ended, in: zone)),
            "skipped": .boolean(result.value == nil), "value": value,
        ])
    }

    /// Turns the answers of a run into results, step by step; questions of a form become one result.
    private struct Reading {
        let submission: Submission
        let zone: Zone
        let steps: [Step]
        var forms: [String] = []

        mutating func results() -> [Result] {
            var results: [Result] = []
            for step in steps where isSent(step) {
                guard let form = step.form else {
                    results.append(result(step, key: step.key))
                    continue
                }
                guard !forms.contains(form) else { continue }
                forms.append(form)
                results.append(grouped(form))
            }
            return results
        }

        /// Instructions are not sent, nor what was never shown.
        private func isSent(_ step: Step) -> Bool {
            step.format.isQuestion && !step.isOther && !step.isMore && submission.times[step.key] != nil
        }

        private func result(_ step: Step, key: String) -> Result {
            let times = submission.times[step.key]
            let value = submission.answers[step.key].flatMap { json($0, of: step) }
            var result = Result(
                type: step.wireType, key: key, began: times?.presented ?? submission.submitted,
                ended: times.map { $0.answered ?? left($0) } ?? submission.submitted, value: value)
            if case .performance(let performance)? = submission.answers[step.key] {
                result.conditions = performance.record.conditions
            }
            return result
        }

        /// When a question without an answer was left, which the apps send as its end (`stepResult.endDate`).
        private func left(_ times: StepTimes) -> Instant {
            let all = submission.course?.visits.map(\.times.presented) ?? submission.times.values.map(\.presented)
            return all.filter { $0 > times.presented }.min() ?? submission.submitted
        }

        /// One inner array of question results for each round.
        private func grouped(_ form: String) -> Result {
            let members = steps.filter { $0.form == form && $0.format.isQuestion && !$0.isOther && !$0.isMore }
            let rounds = Set(members.filter(isSent).map(\.round)).sorted()
            // In the app a form is one page: its questions that were not asked here are sent as skipped.
            let results = rounds.map { round in
                members.filter { $0.round == round }.map { result($0, key: $0.ownKey) }
            }
            let all = results.flatMap(\.self)
            // The app sends a form that was left out as its questions, each skipped with an
            // empty array as value.
            let isLeftOut = all.allSatisfy { $0.value == nil }
            let nothing: JSONText? = isLeftOut ? .array([]) : nil
            let inner = results.map { round in
                JSONText.array(
                    round.map { .object(MyStudiesResults.members($0, value: $0.value ?? nothing, in: zone)) })
            }
            return Result(
                type: "grouped", key: form, began: all.map(\.began).min() ?? submission.submitted,
                ended: all.map(\.ended).max() ?? submission.submitted, value: .array(inner))
        }

        private func json(_ value: AnswerValue, of step: Step) -> JSONText? {
            switch value {
            case .boolean(let answer): .boolean(answer)
            // A list left with nothing ticked is skipped in both apps (fda-mystudies 7f3ea838, `isValidObject` of
            // Utilities.swift, `{"answer":[]}` in SurveyCompleteActivity.java).
            case .choices(let values): values.isEmpty ? nil : choices(values, of: step)
            case .number(let number): self.number(number, of: step)
            case .cleared: nil
            case .dateTime(let local): dateTime(local, step.format)
            case .text(let text): .string(text)
            case .recording(let id): reference(id, step.format)
            case .position(let latitude, let longitude):
                .string(Self.degrees(latitude) + "," + Self.degrees(longitude))
            case .performance(let performance): self.performance(performance, of: step)
            }
        }

        /// Nil where it is longer than the question's column, which has `maxLength` characters: the server would store
        /// nothing of the run (LabKey/mobileAppStudy e740c28, `DynamicListProcessor.getNewDomainProperty`). The
        /// recording's description has it all the same.
        private func reference(_ id: String, _ format: AnswerFormat) -> JSONText? {
            let name = VoiceMemo.prefix + id
            if case .text(_, let rules) = format, let limit = rules.maximumLength, name.count > limit { return nil }
            return .string(name)
        }

        /// Intervals in hours, a continuous scale in its own digits. The server reads a
        /// whole number of more than 32 bits as a Long, which it refuses: such a number is
        /// written as a decimal.
        private func number(_ number: Double, of step: Step) -> JSONText {
            let value =
                switch step.wireName {
                case "timeInterval": number / 60
                case "height": MyStudiesHeight.centimetres(number, kind: step.wireName, step.format)
                case "continuousScale": rounded(number, step)
                default: number
                }
            return value == value.rounded() && Int32(exactly: value) == nil ? .decimal(value) : .number(value)
        }

        private func rounded(_ number: Double, _ step: Step) -> Double {
            var digits = 0
            switch step.format {
            case .number(let format): digits = format.maximumFractionDigits
            case .slider(let format):
                while digits < 4, [1, 0.1, 0.01, 0.001, 0.0001][digits] > format.step { digits += 1 }
            default: return number
            }
            let power = [1, 10, 100, 1_000, 10_000.0][min(digits, 4)]
            return (number * power).rounded() / power
        }

        /// Degrees with at most seven digits after the point (a centimetre), and never an exponent.
        private static func degrees(_ value: Double) -> String {
            // A script may answer with any number, which must not trap in `Int64`.
            let place = value.isFinite ? max(-1e9, min(1e9, value)) : 0
            let units = Int64((place * 1e7).rounded())
            var fraction = (units.magnitude % 10_000_000).padded(7)
            while fraction.count > 1, fraction.hasSuffix("0") { fraction.removeLast() }
            return (units < 0 ? "-" : "") + "\(units.magnitude / 10_000_000).\(fraction)"
        }

        private func choices(_ values: [String], of step: Step) -> JSONText {
            let spelled = values.map { value -> JSONText in
                let sent = JSONText.string(MyStudiesKeys.sent(value))
                guard let words = other(value, of: step) else { return sent }
                return .object([.init("other", sent), .init("text", .string(words))])
            }
            return step.wireType == "textChoice" ? .array(spelled) : spelled.first ?? .null
        }

        /// The words of a choice that asks for them; nil where it asks for none.
        private func other(_ value: String, of step: Step) -> String? {
            let key = MyStudiesKeys.other(of: step.key, value: value)
            guard steps.contains(where: { $0.key == key }) else { return nil }
            return switch submission.answers[key] {
            case .text(let text)?: text
            case .recording(let id)?: VoiceMemo.prefix + id
            default: ""
            }
        }

        private func dateTime(_ local: LocalDateTime, _ format: AnswerFormat) -> JSONText {
            switch format {
            case .dateTime(.date, _): .string("\(local.date)")
            case .dateTime(.time, _): .string(local.time.text(fractionDigits: 0))
            default: .string(MyStudiesResults.time(zone.resolve(local).instant, in: zone))
            }
        }

        /// A result for each figure of an active task.
        private func performance(_ performance: Performance, of step: Step) -> JSONText {
            let times = submission.times[step.key]
            return .array(
                performance.record.figures.map { figure in
                    let (type, value): (String, JSONText) =
                        switch figure.value {
                        case .whole(let number): ("numeric", .integer(number))
                        case .number(let number): ("numeric", .number(number))
                        case .truth(let isTrue): ("boolean", .boolean(isTrue))
                        case .none: ("numeric", .null)
                        }
                    let result = Result(
                        type: type, key: figure.name, began: times?.presented ?? submission.submitted,
                        ended: times?.answered ?? submission.submitted, value: value)
                    return .object(MyStudiesResults.members(result, value: value, in: zone))
                })
        }
    }
}

extension Step {
    var wireType: String {
        if case .active(let task) = format { return task.name }
        return wireName
    }
}
