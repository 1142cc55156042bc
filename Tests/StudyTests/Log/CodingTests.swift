// SPDX-License-Identifier: Apache-2.0
import Base
import Foundation
import Testing

@testable import Study

/// How values are spelt in the log: what was written once is read, and nothing else.
@Suite struct CodingTests {
    @Test(
        arguments: [
            ("completed", .completed), ("expired", .expired), ("declined", .declined), ("interrupted", .interrupted),
            ("missed/device-off", .missed(.deviceOff)), ("missed/busy", .missed(.busy)), ("missed", nil),
            ("missed/", nil), ("missed/busy/", nil), ("missed/late", nil), ("expired/busy", nil), ("ignored/busy", nil),
            ("Missed/busy", nil), ("missed busy", nil), ("", nil),
        ] as [(String, Outcome?)])
    func anOutcomeIsItsNameAndTheReasonOfOneThatWasMissed(_ text: String, _ outcome: Outcome?) {
        #expect(Outcome(stored: text) == outcome)
        if let outcome { #expect(outcome.stored == text) }
    }

    @Test(
        arguments: [
            (#"{"position":[51.5,-0.125]}"#, .position(latitude: 51.5, longitude: -0.125)),
            (#"{"position":[51.5]}"#, nil), (#"{"position":[51.5,-0.125,9]}"#, nil), (#"{"position":[]}"#, nil),
            (#"{"boolean":true}"#, .boolean(true)), (#"{"cleared":true}"#, .cleared),
            (#"{"choices":["a","b"]}"#, .choices(["a", "b"])), (#"{"number":2.5}"#, .number(2.5)),
            (#"{"text":"x"}"#, .text("x")), (#"{"recording":"m"}"#, .recording("m")), ("{}", nil),
            (#"{"boolean":true,"number":1}"#, nil), (#"{"colour":1}"#, nil),
        ] as [(String, AnswerValue?)])
    func anAnswerIsOneKindWithItsValue(_ json: String, _ value: AnswerValue?) throws {
        let read = try? JSONDecoder().decode(AnswerValue.self, from: Data(json.utf8))
        #expect(read == value)
        guard let value else { return }
        let again = try JSONDecoder().decode(AnswerValue.self, from: JSONEncoder().encode(value))
        #expect(again == value)
    }
}
