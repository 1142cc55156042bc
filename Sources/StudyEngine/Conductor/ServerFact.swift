// SPDX-License-Identifier: Apache-2.0

/// Names under which the event log keeps what a study's server said.
public enum ServerFact {
    /// How the study stands, in the platform's own word.
    public static let status = "status"
    /// A message of those who run the study.
    public static let message = "message"
    /// The version of the study as the server counts it.
    public static let version = "version"
    /// A text of the study that was opened to the participant.
    public static let resource = "resource"
}
