// SPDX-License-Identifier: Apache-2.0
import Base

/// The version that is sent to servers that ask for that of the platform's app: this program's own.
package enum AppVersion {
    package static let text = ProgramVersion.text
}
