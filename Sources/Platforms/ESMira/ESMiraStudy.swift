// SPDX-License-Identifier: Apache-2.0
import Study

/// What the wire and the server client must know of a study besides what all platforms have.
struct ESMiraStudy: Sendable, Hashable {
    let id: Int
    let version: Int
    let subVersion: Int
    /// Of the study's format, sent back.
    let serverVersion: Int
    /// Empty where the study says none.
    let language: String
    /// Empty where the study has none.
    let accessKey: String
    /// `randomGroups`. The editor writes 1 where there are none.
    let groups: Int
    /// `eventUploadSettings`: what is uploaded otherwise than by default.
    let uploads: [String: Bool]
    /// Their numbers.
    var questionnaires: Set<Int> = []

    /// Uploaded unless the study says otherwise (`Study.kt`, `isEventUploaded`).
    private static let uploadedByDefault: Set<String> = [
        "joined", "questionnaire", "quit", "actions_executed", "invitation", "schedule_changed",
    ]

    /// The group of who has that arm: with a single one it is the first, without any it is 0
    /// (`Study.finishJSON`, ESMira-apps f750e58).
    func group(_ arm: String?) -> Int {
        switch groups {
        case ..<1: 0
        case 1: 1
        default: arm.flatMap { Int($0) } ?? 0
        }
    }

    func uploads(_ event: String) -> Bool { uploads[event] ?? Self.uploadedByDefault.contains(event) }
}

/// What the wire must know of a questionnaire.
struct ESMiraQuestionnaire: Sendable {
    let internalID: Int
    let title: String
    /// In the order of the file, whether asked here or not.
    let inputs: [ESMiraInput]
    /// Keys of the steps of each page.
    let pages: [Set<String>]
    let sumScores: [SumScore]
    /// Names of values that scripts fill.
    let virtualInputs: [String]

    /// Where an answer of the run keeps what a script gave.
    static func virtualKey(_ name: String) -> String { "virtual~" + name }

    struct SumScore: Sendable, Hashable {
        let name: String
        let adds: [String]
        let subtracts: [String]
    }
}

/// An input as the study has it.
struct ESMiraInput: Sendable, Hashable {
    /// The column at the server.
    let name: String
    let kind: Kind
    let isRequired: Bool
    /// Sent where the input is not required and was not answered.
    let defaultValue: String
    var choices: [String] = []
    var hasOther = false
    var sendsNumber = false
    /// Of the first choice, where numbers are sent.
    var start = 1
    /// The language of the study, in which the app names the last choice.
    var language = ""

    /// How its answer is spelled.
    enum Kind: Sendable, Hashable {
        case nothing, whole, decimal, binary, single, multiple, text, date, time, place
        /// A recording, by the number under which its file comes.
        case sound
        case battery, light, noise, compass
    }

    /// Of a measured number: it is not cut to a whole one.
    var hasDecimals = false

    /// Of a place: how small the cell is that is sent.
    var resolution = 0
    /// The questions of which one is asked, each under the name of this input.
    var parts: [ESMiraInput] = []

    /// Whether the file of an answer to that step is sent.
    func sendsFile(of step: String) -> Bool {
        kind == .sound && name == step || parts.contains { $0.sendsFile(of: step) }
    }

    /// The step that asks what "other" is.
    var otherKey: String { name + "~other" }
}
