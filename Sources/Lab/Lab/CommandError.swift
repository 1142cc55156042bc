// SPDX-License-Identifier: Apache-2.0
import Base

/// Why a command of `study-receiver` refuses, and what to do.
struct CommandError: ExplainedError, Sendable, Hashable {
    let explanation: Explanation
    init(_ explanation: Explanation) { self.explanation = explanation }
    init(_ cause: String, _ remedy: String) { self.init(Explanation(cause: cause, remedy: remedy)) }
}
