// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// What `Enroller` has a device say to the lab's receiver when it takes a study on, so that it is known there
/// before its first recording is sealed. It goes as a small upload of the kind `hello`, by the way that recordings
/// take: what that way lacks shows on the first day.
package enum Hello {
    static let origin = "hello"

    /// The item for that destination; `fields` go as metadata, and as a JSON object they
    /// are the content.
    package static func draft(to destination: String, _ fields: [(name: String, value: String)]) -> OutboxDraft {
        let body = JSONText.object(fields.map { .init($0.name, .string($0.value)) }).text + "\n"
        return OutboxDraft(
            origin: origin, itemClass: .events, destination: destination,
            content: .request(
                WireRequest(
                    method: "POST", url: "",
                    headers: [.init(name: "Content-Type", value: "application/json")]
                        + fields.map { .init(name: $0.name, value: $0.value) }, body: Array(body.utf8))))
    }
}
