// SPDX-License-Identifier: Apache-2.0
import StudyModel
import Times

/// An answer as SageResearch's clients write it: what kind of value it is, and the value; without one where nothing was answered.
struct SageAnswer {
    let members: [JSONText.Member]

    /// The answer to that step.
    init(_ value: AnswerValue?, to step: Step) {
        var members = [JSONText.Member("answerType", Self.type(of: step.format))]
        if let value { members.append(.init("value", Self.json(value, of: step.format))) }
        self.members = members
    }

    private static func type(of format: AnswerFormat) -> JSONText {
        func named(_ name: String, _ more: JSONText.Member...) -> JSONText {
            .object([.init("type", .string(name))] + more)
        }
        return switch format {
        case .yesNo: named("boolean")
        case .choice(let choice) where choice.isMultiple: named("array", .init("baseType", .string("string")))
        case .slider, .number: named("number")
        case .dateTime(.date, _): named("date-time", .init("codingFormat", .string("yyyy-MM-dd")))
        case .dateTime(.time, _): named("date-time", .init("codingFormat", .string("HH:mm:ss")))
        case .dateTime: named("date-time", .init("codingFormat", .string("yyyy-MM-dd'T'HH:mm:ss")))
        case .active, .position: named("object")
        case .choice, .text, .instruction, .media: named("string")
        }
    }

    private static func json(_ value: AnswerValue, of format: AnswerFormat) -> JSONText {
        switch value {
        case .boolean(let answer): .boolean(answer)
        case .choices(let values): choices(values, of: format)
        case .number(let number): .number(number)
        case .cleared: .null
        case .dateTime(let local): dateTime(local, format)
        case .text(let text): .string(text)
        case .recording(let id): .string(id)
        case .position(let latitude, let longitude):
            .object([.init("latitude", .number(latitude)), .init("longitude", .number(longitude))])
        case .performance(.kicks(let record)): kicks(record)
        case .performance(.span(let record)): span(record)
        case .performance(.hanoi(let record)): hanoi(record)
        case .performance(.vigilance(let record)): vigilance(record)
        }
    }

    private static func choices(_ values: [String], of format: AnswerFormat) -> JSONText {
        guard case .choice(let choice) = format, choice.isMultiple else {
            return values.first.map { .string($0) } ?? .null
        }
        return .array(values.map { .string($0) })
    }

    private static func dateTime(_ local: LocalDateTime, _ format: AnswerFormat) -> JSONText {
        switch format {
        case .dateTime(.date, _): .string("\(local.date)")
        case .dateTime(.time, _): .string(local.time.text(fractionDigits: 0))
        default: .string(local.text(fractionDigits: 0))
        }
    }
}

/// What came out of active tasks, with the names of ResearchKit's results; times in seconds.
extension SageAnswer {
    private static func seconds(_ duration: Duration) -> JSONText {
        let parts = duration.components
        return .number(Double(parts.seconds) + (Double(parts.attoseconds) / 1e12).rounded() / 1e6)
    }

    private static func kicks(_ record: KickRecord) -> JSONText {
        .object([
            .init("duration", seconds(record.duration)), .init("count", .integer(Int64(record.count))),
            .init("kicks", .array(record.kicks.map(seconds))), .init("measuredDuration", seconds(record.measured)),
            .init("end", .string(record.end.rawValue)), .init("restarts", .integer(Int64(record.restarts))),
            .init("isTimeUncertain", .boolean(record.isTimeUncertain)),
        ])
    }

    /// momenTUM's own spelling beside what was measured; `uncertainty` is that of the light's time.
    private static func vigilance(_ record: VigilanceRecord) -> JSONText {
        .object([
            .init("reaction_times", .string(record.text)),
            .init("trials", .array(record.trials.map(trial))), .init("void", .integer(Int64(record.void))),
            .init("isLeft", .boolean(record.isLeft)),
        ])
    }

    private static func trial(_ trial: VigilanceRecord.Trial) -> JSONText {
        .object(
            [.init("value", .integer(Int64(trial.value))), .init("waited", seconds(trial.waited))]
                + (trial.reaction.map { [.init("reaction", seconds($0))] } ?? [])
                + [.init("uncertainty", seconds(trial.uncertainty))])
    }

    private static func span(_ record: SpanRecord) -> JSONText {
        .object([
            .init("score", .integer(Int64(record.score))),
            .init("numberOfGames", .integer(Int64(record.numberOfGames))),
            .init("numberOfFailures", .integer(Int64(record.numberOfFailures))),
            .init("gameRecords", .array(record.games.map(game))),
        ])
    }

    private static func game(_ game: SpanRecord.Game) -> JSONText {
        .object([
            .init("sequence", .array(game.sequence.map { .integer(Int64($0)) })),
            .init("gameSize", .integer(Int64(game.targets))),
            .init("touchSamples", .array(game.touches.map(touch))),
            .init("gameStatus", .integer(Int64(game.status.rawValue))), .init("score", .integer(Int64(game.score))),
        ])
    }

    private static func touch(_ touch: SpanRecord.Touch) -> JSONText {
        .object([
            .init("timestamp", seconds(touch.time)), .init("targetIndex", .integer(Int64(touch.target))),
            .init("correct", .boolean(touch.isCorrect)),
        ])
    }

    private static func hanoi(_ record: HanoiRecord) -> JSONText {
        .object([
            .init("puzzleWasSolved", .boolean(record.isSolved)),
            .init("moves", .array(record.moves.map(move))), .init("numberOfDisks", .integer(Int64(record.disks))),
            .init("illegalMoves", .integer(Int64(record.illegalMoves))),
        ])
    }

    private static func move(_ move: HanoiRecord.Move) -> JSONText {
        .object([
            .init("timestamp", seconds(move.time)), .init("donorTowerIndex", .integer(Int64(move.donor))),
            .init("recipientTowerIndex", .integer(Int64(move.recipient))),
        ])
    }
}
