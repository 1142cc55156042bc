// SPDX-License-Identifier: Apache-2.0
import Base

/// What a platform's server refused, or what keeps it from being asked; a `StudyServer` throws it, for the
/// person who enrols.
package struct PlatformServerError: ExplainedError, Sendable, Hashable {
    /// The server's address, what is wrong, and what to do; holds no secret.
    package let explanation: Explanation

    /// `place` is the address that was asked, or the one that was given.
    package init(_ cause: String, at place: String? = nil, remedy: String? = nil) {
        explanation = Explanation(place: place, cause: cause, remedy: remedy)
    }
}
