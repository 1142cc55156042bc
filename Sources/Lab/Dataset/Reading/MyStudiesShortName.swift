// SPDX-License-Identifier: Apache-2.0
import SystemKit

/// What a participant of FDA MyStudies is called where the key, which is a secret, must not be shown.
package enum MyStudiesShortName {
    /// Says nothing of the key.
    package static func of(_ key: String) throws -> String {
        String(try Digest(ofText: "participant " + key).description.prefix(6))
    }
}
