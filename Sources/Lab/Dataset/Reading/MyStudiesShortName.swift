// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit

/// What a participant of FDA MyStudies is called where the key, which is a secret, must not be shown, and by the played
/// server once the participant has left.
package enum MyStudiesShortName {
    /// Says nothing of the key.
    package static func of(_ key: String) -> String {
        String(Digest.sha256(Array("participant \(key)".utf8)).hexadecimal.prefix(6))
    }
}
