// SPDX-License-Identifier: Apache-2.0
@testable import Study

extension Cue {
    /// What a loudspeaker says of it, part by part.
    func heard(in words: Words = .english) -> [String] { speech(in: words).map(\.text) }
}

extension PanelEffect {
    /// What a loudspeaker says of it, part by part.
    var heard: [String] { spoken.map(\.text) }

    /// The same with its languages.
    var spoken: [Utterance] { if case .device(.signal(let plan)) = self { plan.speech } else { [] } }
}

extension Vocabulary {
    /// Its parts without their languages.
    var texts: Set<String> { Set(parts.map(\.text)) }
}
