// SPDX-License-Identifier: Apache-2.0
import Glibc

/// The name of a user of this computer, for messages about files of another owner.
package enum UserName {
    /// The user's number where there is no name.
    package static func of(_ user: uid_t) -> String {
        var entry = passwd()
        var found: UnsafeMutablePointer<passwd>?
        var buffer = [CChar](repeating: 0, count: 4096)
        return buffer.withUnsafeMutableBufferPointer { space in
            guard let start = space.baseAddress, getpwuid_r(user, &entry, start, space.count, &found) == 0,
                let name = found?.pointee.pw_name
            else { return String(user) }
            return String(cString: name)
        }
    }
}
