/* The time zone of this device: sent with a form that makes an account, offered on the profile. */

const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;

function fill(field) {
  field.value = zone;
}

// Shown only where it would change something, and where the site knows the zone too.
function offer(place) {
  const field = document.getElementById(place.dataset.zoneOffer);
  if (!field || field.value === zone || ![...field.options].some((option) => option.value === zone)) return;
  place.querySelector("span").textContent = zone.replaceAll("_", " ");
  place.hidden = false;
  place.querySelector("button").addEventListener("click", () => {
    field.value = zone;
    place.hidden = true;
    field.focus();
  });
}

if (zone) {
  document.querySelectorAll("input[data-time-zone]").forEach(fill);
  document.querySelectorAll("[data-zone-offer]").forEach(offer);
}
