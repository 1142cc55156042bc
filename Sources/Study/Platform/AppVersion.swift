// SPDX-License-Identifier: Apache-2.0
import Base

/// What servers that ask for the version of the platform's app are sent: this program's.
package enum AppVersion {
    package static let text = ProgramVersion.text
}
