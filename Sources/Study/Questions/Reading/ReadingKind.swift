// SPDX-License-Identifier: Apache-2.0
import Base

/// What the device measures at a press, made by `AnswerFormat.kind`: how it is asked, printed and scripted.
struct ReadingKind: QuestionKind {
    let reading: DeviceReading

    func machine(in context: QuestionContext) -> any QuestionMachine {
        ReadingQuestion(reading, id: context.recordingID)
    }

    func howTo(on panel: Panel, in words: Words) -> String {
        let next = panel.pressing(reading.isAmbientCheck ? .select : .next, in: words)
        return switch reading {
        case .battery: words(ReadingPhrases.battery, next)
        case .light: words(ReadingPhrases.light, next)
        case .compass: words(ReadingPhrases.compass, next)
        case .noise(let seconds), .ambient(let seconds): words(ReadingPhrases.noise, next, "\(seconds)")
        }
    }

    func leavingOut(on panel: Panel, in words: Words) -> String {
        reading.isAmbientCheck
            ? words(AnsweringPhrases.leftOutByMenu)
            : words(AnsweringPhrases.leftOut, panel.pressing(.select, in: words))
    }

    func refusal(on panel: Panel) -> String? {
        switch reading {
        // The check before a voice is recorded: without a microphone it is left out.
        case .ambient: return nil
        case .noise:
            return panel.hasMicrophone
                ? nil : "it measures loudness, and the board has no microphone; add a [microphone] table"
        case .battery, .light, .compass: break
        }
        if panel.readings.contains(reading.name) { return nil }
        if case .compass = reading {
            return
                "it asks for the compass direction; if the board has an accelerometer and a magnetometer, add compass = true to [readings] in the board file, and measure both"
        }
        return
            "it asks for a reading the board does not provide; if the kernel has a sensor for it, add \(reading.name) = true to [readings] in the board file"
    }

    func spoken(on panel: Panel) -> [Said] { [.device(ReadingPhrases.unknown)] }

    // MARK: - A scripted participant

    func wanted(_ value: ScriptedValue, now: LocalDateTime) throws -> Wanted {
        switch value {
        case .number(let number): return .answer(reading.answer([number]))
        case .list(let values):
            let figures = values.compactMap { if case .number(let number) = $0 { number } else { nil } }
            if figures.count == values.count, !figures.isEmpty { return .answer(DeviceReading.answer(figures)) }
        default: break
        }
        throw WantedError(value: value, expected: "a number, or a list of them")
    }

    func first(now: LocalDateTime) -> Wanted {
        .answer(reading.answer(reading.isAmbientCheck ? [0.25] : [50, 0, 0]))
    }
}
