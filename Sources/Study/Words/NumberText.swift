// SPDX-License-Identifier: Apache-2.0

/// Numbers as questions say them and messages print them.
enum NumberText {
    /// Without a point where the number is whole.
    static func text(_ value: Double) -> String {
        value == value.rounded() && abs(value) < 1e15 ? String(Int(value)) : String(value)
    }

    static func saidBack(_ answer: AnswerValue) -> [Cue] {
        switch answer {
        case .number(let number): [.value(text(number))]
        case .cleared: [.leaveOut]
        default: []
        }
    }
}
