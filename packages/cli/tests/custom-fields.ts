// The custom fields of the organization. Written by `crm types`.
import type { CrmDate, CrmDateRange, CrmLocation } from '@crm/client';

export interface CustomFields {
  opportunities: object;
  accounts: {
    /** signed_on (date) */
    signed_on?: CrmDate;
    /** renewed_at (timestamp) */
    renewed_at?: CrmDate<number>;
    /** met_at (datetime) */
    met_at?: CrmDate;
    /** term (date_range) */
    term?: CrmDateRange;
    /** site (location) */
    site?: CrmLocation;
    /** Tier * / (select) */
    tier?: "smb" | "\"Large\"";
    /** tags (multi_select) */
    tags?: ("a" | "b")[];
    /** score (rating) */
    score?: number;
    /** is_partner (checkbox) */
    is_partner?: boolean;
    /** phone_2 (phone) */
    phone_2?: string;
  };
  contacts: object;
}
