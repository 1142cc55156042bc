// SPDX-License-Identifier: Apache-2.0
import Base

/// A prompt and the participant it was for.
struct ParticipantPrompt: Sendable, Hashable {
    let participant: String
    let study: String
    let device: String
    let outcome: PromptOutcome
}
